import { type Bench, interleave, type Line } from '../figure.ts';
import type { Server } from '../process.ts';
import type { Request } from '../requests.ts';

type Side = { readonly server: Server; readonly request: Request };

const CONCURRENCIES = [1, 10, 50];

/** Requests a second of both sides under the same load, at each concurrency. */
export async function throughput(
  { effort, load }: Bench,
  { name, atLeast, ours, reference }: { name: string; atLeast: number; ours: Side; reference: Side },
): Promise<Line[]> {
  const rate = async ({ server, request }: Side, concurrency: number) => {
    const result = await load.run({ ...request, port: server.port, concurrency, stop: { afterMs: effort.loadMs } });
    return result.requestsPerSecond;
  };
  for (const side of [ours, reference]) await rate(side, 10);

  const lines: Line[] = [];
  for (const concurrency of CONCURRENCIES) {
    const measured = await interleave(
      effort.repetitions,
      () => rate(ours, concurrency),
      () => rate(reference, concurrency),
    );
    lines.push({ name: `${name}, ${concurrency} at once`, unit: 'req/s', ...measured, target: { atLeast } });
  }
  return lines;
}
