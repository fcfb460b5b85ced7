import { request as ask } from 'node:http';
import { json } from 'node:stream/consumers';
import type { Figure } from '../figure.ts';
import { type Server, simulator, temporaryDirectory } from '../process.ts';
import { call, freeze, get } from '../requests.ts';
import { ofLongWork } from '../rounds.ts';
import { seedContracts } from '../seed.ts';

const INSTALLMENTS = 12;

/** A load needs an end, and the duration of a forecast is unknown, so short loads follow one another. */
const SLICE_MS = 250;

/** How long other requests wait during a forecast of a million steps: a dry run, which counts what it does not list. */
export const forecast: Figure = async function* ({ effort, load }) {
  using directory = temporaryDirectory();
  await seedContracts(directory.path, {
    contracts: effort.forecastContracts,
    async prepare(server) {
      await freeze(server);
      await call(server, 'PATCH', '/_sim/settings', {
        installment_count: INSTALLMENTS,
        installment_cadence: 'monthly',
      });
    },
  });
  await using server = await simulator(directory.path);
  const steps = effort.forecastContracts * INSTALLMENTS;
  const forecastMs = async () => {
    const askedAt = performance.now();
    const { data } = (await slowly(server, '/_sim/clock/advance', { by: '24mo', dry_run: true })) as {
      data: { happened_count: number };
    };
    if (data.happened_count < steps) throw new Error(`The forecast has only ${data.happened_count} events.`);
    return performance.now() - askedAt;
  };
  const waitMs = async (afterMs: number) => (await load.run(server, get(['/v1/ping'], server), 1, { afterMs })).maxMs;
  await waitMs(effort.loadMs);

  const tookMs: number[] = [];
  const besideMs: number[] = [];
  const idleMs: number[] = [];
  const startedAt = performance.now();
  for (let round = 0; round < ofLongWork(effort).rounds; round += 1) {
    idleMs.push(await waitMs(effort.loadMs));
    let isAnswered = false;
    const forecasting = forecastMs().finally(() => {
      isAnswered = true;
    });
    let longestMs = 0;
    while (!isAnswered) longestMs = Math.max(longestMs, await waitMs(SLICE_MS));
    tookMs.push(await forecasting);
    besideMs.push(longestMs);
    if (performance.now() - startedAt >= effort.lineLimitMs) break;
  }
  yield {
    name: `dry run of ${steps.toLocaleString('en')} steps`,
    unit: 'ms',
    ours: tookMs,
    reference: null,
    target: null,
  };
  // No request may ever wait longer, so the longest wait of all rounds counts.
  const ours = [Math.max(...besideMs)];
  yield { name: '  longest wait of another request', unit: 'ms', ours, reference: null, target: { atMost: 50 } };
  const reference = [idleMs, []] as const;
  yield { name: '  the same by round, without a dry run', unit: 'ms', ours: besideMs, reference, target: null };
};

/** Unlike fetch, it has no timeout. */
const slowly = ({ url, headers }: Server, path: string, body: object) =>
  new Promise<unknown>((resolve, reject) => {
    const sent = { ...headers, 'content-type': 'application/json' };
    ask(url + path, { method: 'POST', headers: sent, agent: false }, (response) => {
      const answer = json(response);
      if (response.statusCode === 200) answer.then(resolve, reject);
      else answer.then((refusal) => reject(new Error(`${path} answered ${JSON.stringify(refusal)}`)), reject);
    })
      .on('error', reject)
      .end(JSON.stringify(body));
  });
