import { join } from 'node:path';
import type { Rows } from '../bare-writer.ts';
import type { Figure } from '../figure.ts';
import { helper, simulator, temporaryDirectory } from '../process.ts';
import { call, makeContract } from '../requests.ts';
import { multiplyContract } from '../seed.ts';

const CONTRACTS = 10_000;
const INSTALLMENTS = 4 * CONTRACTS;
/** A collection writes the installment, the attempt, the event and the e-mail; a completion contract, event and e-mail. */
const ROWS = 4 * INSTALLMENTS + 3 * CONTRACTS;
/** Of the transactions of an advance. */
const ROWS_A_TRANSACTION = 400;

/** Whole plans, collected: events and e-mails included. */
export const plans: Figure = async ({ effort }) => {
  const ours: number[] = [];
  const bare: number[] = [];
  await using writer = helper<Rows, number>('bare-writer');
  for (let repetition = 0; repetition < Math.min(effort.repetitions, 5); repetition += 1) {
    using directory = temporaryDirectory();
    ours.push(INSTALLMENTS / (await collectAll(directory.path)));
    const rows = { file: join(directory.path, 'bare.db'), count: ROWS, perTransaction: ROWS_A_TRANSACTION };
    bare.push(INSTALLMENTS / (await writer.ask(rows)));
  }
  const name = 'installments collected, 10,000 plans';
  return [
    { name: `${name}, wanted`, unit: '/s', ours, reference: [10_000], target: { atLeast: 1 } },
    { name: `${name}, bare rows`, unit: '/s', ours, reference: bare, target: null },
  ];
};

async function collectAll(directory: string): Promise<number> {
  {
    await using server = await simulator(directory);
    await call(server, 'POST', '/_sim/clock/freeze');
    await makeContract(server);
  }
  multiplyContract(join(directory, 'state', 'layaway.db'), CONTRACTS);
  await using server = await simulator(directory);
  const startedAt = performance.now();
  const { data } = await call<{ data: { happened_count: number } }>(server, 'POST', '/_sim/clock/advance', {
    by: '3mo',
  });
  const seconds = (performance.now() - startedAt) / 1000;
  if (data.happened_count !== INSTALLMENTS + CONTRACTS) throw new Error(`${data.happened_count} events happened.`);
  return seconds;
}
