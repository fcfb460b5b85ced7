import { openChromium, openDashboard } from '../browser.ts';
import type { Bench, Figure, Line } from '../figure.ts';
import type { Request } from '../load.ts';
import { type Server, simulator, temporaryDirectory } from '../process.ts';
import { advance, call, freeze, get, post } from '../requests.ts';
import { interleave, ofLongWork } from '../rounds.ts';
import { IDLE, seedContracts, shuffled } from '../seed.ts';
import { advanceOne } from './advance.ts';
import { drawnMs, OPEN } from './contract-table.ts';
import { copyMs, snapshotMs } from './snapshot.ts';

/** At each size, the installments of this many contracts fall due soon. All others fall due after any forecast ends. */
const DUE = 100;
const MOSTLY_IDLE = `${IDLE} AND contract_id > ${DUE}`;
/** How many contracts are read in turn, in random order. */
const READ_MAX = 50_000;
/** The allowed variation of a value that must not grow. */
const STEADY = { atMost: 1.2 } as const;

interface Size {
  readonly contracts: number;
  readonly directory: string;
  readonly references: readonly string[];
  readonly server: Server;
}

type Measure = (size: Size) => Promise<number>;

/** The same work with few, many and very many contracts: only what falls due or is returned may make it slower. */
export const scale: Figure = async function* (bench) {
  await using opened = await openSizes(bench.effort.scale);
  const { sizes } = opened;

  const loaded = (request: (size: Size) => Request) => async (size: Size) => {
    const stop = { afterMs: bench.effort.loadMs };
    return 1000 / (await bench.load.run(size.server, request(size), 1, stop)).requestsPerSecond;
  };
  const paths = new Map(
    sizes.map(({ server, references }) => {
      const read = shuffled(references).slice(0, READ_MAX);
      return [server, read.map((reference) => `/v1/contracts/${reference}`)];
    }),
  );
  yield* compared(
    bench,
    sizes,
    'session create',
    loaded(({ server }) => post('/v1/sessions', server)),
  );
  yield* compared(
    bench,
    sizes,
    'contract read',
    loaded(({ server }) => get(paths.get(server) ?? [], server)),
  );
  yield* compared(
    bench,
    sizes,
    'contract list, page 1',
    loaded(({ server }) => get(['/v1/contracts'], server)),
  );
  yield* compared(bench, sizes, `forecast of ${4 * DUE} collections`, timed('GET', '/_sim/forecast'));
  // Process what is already due, so that one installment falls due in each advance.
  for (const { server } of sizes) await advance(server, '6mo');
  yield* compared(bench, sizes, 'advance by one collection', ({ server }) => advanceOne(server));
  yield* snapshots(bench, sizes);

  await using chromium = await openChromium();
  const pages = new Map<Server, Awaited<ReturnType<typeof openDashboard>>>();
  for (const { server } of sizes) pages.set(server, await openDashboard(chromium.browser, server));
  yield* compared(bench, sizes, 'dashboard, table drawn', async ({ server }) => {
    const { page, address } = pages.get(server) as Awaited<ReturnType<typeof openDashboard>>;
    await page.goto(address('snapshots'));
    await page.getByRole('link', { name: 'Contracts' }).waitFor();
    return drawnMs(page, OPEN);
  });
};

async function openSizes(counts: readonly number[]) {
  const sizes: Size[] = [];
  const directories: Disposable[] = [];
  const close = async () => {
    for (const { server } of sizes) await server[Symbol.asyncDispose]();
    for (const directory of directories) directory[Symbol.dispose]();
  };
  try {
    for (const contracts of counts) {
      const directory = temporaryDirectory();
      directories.push(directory);
      const seed = { contracts, prepare: freeze, change: MOSTLY_IDLE };
      const references = await seedContracts(directory.path, seed);
      sizes.push({ contracts, directory: directory.path, references, server: await simulator(directory.path) });
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { sizes, [Symbol.asyncDispose]: close };
}

const timed =
  (method: string, path: string): Measure =>
  async ({ server }) => {
    const startedAt = performance.now();
    await call(server, method, path);
    return performance.now() - startedAt;
  };

/** Measures each larger size against the smallest. */
async function* compared(
  { effort }: Bench,
  [smallest, ...larger]: readonly Size[],
  row: string,
  measure: Measure,
): AsyncGenerator<Line> {
  if (!smallest) return;
  const ofSmallest: number[] = [];
  for (const size of [smallest, ...larger]) await measure(size);
  for (const size of larger) {
    const measured = await interleave(
      effort,
      () => measure(size),
      () => measure(smallest),
    );
    ofSmallest.push(...measured.reference.flat());
    yield { ...named(row, size), ...measured, target: STEADY };
  }
  yield { ...named(row, smallest), ours: ofSmallest, reference: null, target: null };
}

/** A snapshot contains everything, so it is compared with a copy of the file. */
async function* snapshots({ effort }: Bench, sizes: readonly Size[]): AsyncGenerator<Line> {
  for (const [index, size] of sizes.entries()) {
    const measured = await interleave(
      ofLongWork(effort),
      () => snapshotMs(size.server),
      async () => copyMs(size.directory),
    );
    // Copying a small file takes almost no time, so its ratio means nothing.
    yield { ...named('snapshot', size), ...measured, target: index === 0 ? null : { atMost: 2 } };
  }
}

const named = (row: string, { contracts }: Size) => ({
  name: `${row}, ${contracts.toLocaleString('en')} contracts`,
  unit: 'ms' as const,
  cell: { row, contracts },
});
