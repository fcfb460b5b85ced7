import { type Bench, interleave, type Line } from '../figure.ts';
import type { Load } from '../load.ts';
import type { Server } from '../process.ts';
import type { Request } from '../requests.ts';

type Side = { readonly server: Server; readonly request: Request };

/** Requests until both sides run compiled code. */
const WARM_UP = 10_000;

const CONCURRENCIES = [1, 10, 50];

/** Requests a second of both sides under the same load, at each concurrency. */
export async function throughput(
  { effort, load }: Bench,
  { name, atLeast, ours, reference }: { name: string; atLeast: number; ours: Side; reference: Side },
): Promise<Line[]> {
  const send = ({ server, request }: Side, concurrency: number, stop: Load['stop']) =>
    load.run({ ...request, port: server.port, concurrency, stop });
  const rate = async (side: Side, concurrency: number) =>
    (await send(side, concurrency, { afterMs: effort.loadMs })).requestsPerSecond;
  for (const side of [ours, reference]) await send(side, 10, { afterRequests: WARM_UP });

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
