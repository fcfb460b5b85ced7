import { join } from 'node:path';
import type { Rows } from '../bare-writer.ts';
import type { Figure } from '../figure.ts';
import { helper, simulator, temporaryDirectory } from '../process.ts';
import { advance, freeze } from '../requests.ts';
import { interleave, ofLongWork } from '../rounds.ts';
import { seedContracts } from '../seed.ts';

const CONTRACTS = 10_000;
const INSTALLMENTS = 4 * CONTRACTS;
/** A collection writes the installment, the attempt, the event and the email; a completion contract, event and email. */
const ROWS = 4 * INSTALLMENTS + 3 * CONTRACTS;
/** The size of an advance's transactions. */
const ROWS_A_TRANSACTION = 400;

/** Collects whole plans, with their events and emails. */
export const plans: Figure = async function* ({ effort }) {
  await using writer = helper<Rows, number>('bare-writer');
  const collected = async () => {
    using directory = temporaryDirectory();
    return INSTALLMENTS / (await collectAll(directory.path));
  };
  const written = async () => {
    using directory = temporaryDirectory();
    const rows = { file: join(directory.path, 'bare.db'), count: ROWS, perTransaction: ROWS_A_TRANSACTION };
    return INSTALLMENTS / (await writer.ask(rows));
  };
  const { ours, reference } = await interleave(ofLongWork(effort), collected, written);
  const name = 'installments collected, 10,000 plans';
  yield { name, unit: '/s', ours, reference: null, target: { atLeast: 15_000 } };
  yield { name: '  the same, bare rows', unit: '/s', ours, reference, target: null };
};

async function collectAll(directory: string): Promise<number> {
  await seedContracts(directory, { contracts: CONTRACTS, prepare: freeze });
  await using server = await simulator(directory);
  const { tookMs, happened } = await advance(server, '3mo');
  if (happened !== INSTALLMENTS + CONTRACTS) throw new Error(`${happened} events happened.`);
  return tookMs / 1000;
}
