import type { Bench, Line, Target } from '../figure.ts';
import type { Request } from '../load.ts';
import type { Server } from '../process.ts';
import { interleave } from '../rounds.ts';

export type Side = { readonly server: Server; readonly request: Request };

/** Enough requests for both sides to run compiled code. */
const WARM_UP = 10_000;

export const CONCURRENCIES = [1, 10, 50] as const;

interface Compared {
  readonly name: string;
  readonly ours: Side;
  /** Two equal servers, or the same one twice. */
  readonly reference: readonly [Side, Side];
  readonly target: (concurrency: (typeof CONCURRENCIES)[number]) => Target | null;
}

/** Requests per second of both sides under the same load, at each concurrency. */
export async function* throughput(
  { effort, load }: Bench,
  { name, ours, reference: [first, second], target }: Compared,
): AsyncGenerator<Line> {
  const rate = async ({ server, request }: Side, concurrency: number) =>
    (await load.run(server, request, concurrency, { afterMs: effort.loadMs })).requestsPerSecond;
  for (const { server, request } of new Set([ours, first, second])) {
    await load.run(server, request, 10, { afterRequests: WARM_UP });
  }

  for (const concurrency of CONCURRENCIES) {
    const measured = await interleave(
      effort,
      () => rate(ours, concurrency),
      () => rate(first, concurrency),
      () => rate(second, concurrency),
    );
    yield { name: `${name}, ${concurrency} at once`, unit: 'req/s', ...measured, target: target(concurrency) };
  }
}
