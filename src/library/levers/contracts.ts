import { earliestOverdue } from '../../domain/installment.ts';
import { LIST_MAX } from '../../domain/limits.ts';
import * as operations from '../../operations/contracts.ts';
import { ANY, FLAG, refuseNonObject, refuseWrong } from '../../options.ts';
import { asker, type Client, type Connection, dataOf } from '../client.ts';
import type { Contract, ContractCreate, ContractStatus, ContractUpdate, ListOptions, Outcome } from '../wire.ts';
import { afterWebhooks, WAITS, type Waits, waitQuery } from './waits.ts';

export function contractLevers(connection: Connection, v1: Client) {
  const ask = asker(connection);

  /** Asks the control plane first: a read of `/v1` would use up a fault that waits for the store. */
  async function numberToSettle(reference: string): Promise<number> {
    const overdue = await ask(operations.findContracts, { query: { overdue: 'true', limit: LIST_MAX } }).then(dataOf);
    const contract = overdue.find((each) => each.reference === reference) ?? (await v1.getContract(reference));
    return earliestOverdue(contract.installments)?.installment_number ?? 0;
  }

  return {
    /** A contract in any state, with the history that leads to it. */
    create: async (wanted: ContractCreate = {}, options: Waits = {}) => {
      refuseWrong(options, WAITS, 'contracts.create');
      return ask(operations.createContract, { body: wanted }).then(dataOf).then(afterWebhooks(ask, options.wait));
    },
    list: (narrow: { readonly status?: ContractStatus; readonly page?: number } = {}) => v1.listContracts(narrow),
    /** A scenario (interface §5) that repeats the story of the contract and expects the same results. */
    scenario: (reference: string): Promise<object> =>
      ask(operations.exportScenario, { params: { reference } }).then(dataOf),
    /** The contracts of every page, newest first, each once. */
    listAll: async (narrow: { readonly status?: ContractStatus } = {}) => {
      refuseWrong(narrow, { status: ANY }, 'contracts.listAll');
      const every = new Map<string, Contract>();
      for (let page = 1, last = 1; page <= last; page += 1) {
        const { data: contracts, meta } = await v1.listContracts({ ...narrow, page });
        // A contract that is made meanwhile moves others to the next page.
        for (const contract of contracts) every.set(contract.reference, contract);
        last = meta.last_page;
      }
      return [...every.values()];
    },
    /** By order reference, status or overdue installment, newest first. */
    find: async (
      options: ListOptions & {
        readonly status?: ContractStatus;
        readonly order_reference?: string;
        readonly overdue?: boolean;
      } = {},
    ) => {
      refuseNonObject(options, 'contracts.find');
      const { overdue, ...query } = options;
      refuseWrong({ overdue }, { overdue: FLAG }, 'contracts.find');
      const narrow = overdue ? { overdue: 'true' as const } : {};
      return ask(operations.findContracts, { query: { ...query, ...narrow } }).then(dataOf);
    },
    get: v1.getContract,
    update: (reference: string, changes: ContractUpdate) => v1.updateContract(reference, changes),
    cancel: async (reference: string, options: Waits = {}) => {
      refuseWrong(options, WAITS, 'contracts.cancel');
      return v1.cancelContract(reference).then(afterWebhooks(ask, options.wait));
    },
    /** Payment attempts, newest first; with `after`, those since, oldest first. */
    attempts: (reference: string, query: ListOptions = {}) =>
      ask(operations.listAttempts, { params: { reference }, query }).then(dataOf),
    /** Sets the outcomes of the next collection attempts. Later attempts succeed. */
    outcomes: (reference: string, outcomes: readonly Outcome[]) =>
      ask(operations.arrangeOutcomes, { params: { reference }, body: { outcomes } }).then(dataOf),
    /** The arranged outcomes that are still to come. */
    arranged: (reference: string) => ask(operations.getOutcomes, { params: { reference } }).then(dataOf),
    /** Settles an installment by its `installment_number`, by default the earliest overdue one. */
    settle: async (reference: string, which?: number | null | Waits, waits: Waits = {}) => {
      const [number, options] = typeof which === 'object' && which !== null ? [null, which] : [which, waits];
      refuseWrong(options, WAITS, 'contracts.settle');
      const params = { reference, number: String(number ?? (await numberToSettle(reference))) };
      return ask(operations.settleInstallment, { params, query: waitQuery(options.wait) }).then(dataOf);
    },
  };
}
