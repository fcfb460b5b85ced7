/** A webhook receiver that only counts and answers, after the `wait_ms` in its URL. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type ReceiverQuestion = 'url' | 'failing' | 'tally';
export interface Tally {
  readonly requests: number;
  /** Ids that were answered with 200 exactly once. */
  readonly accepted: number;
  readonly acceptedTwice: number;
}

const attempts = new Map<string, number>();
let requests = 0;
let isFailing = false;
/** How often each id was answered with 200. */
const accepted = new Map<string, number>();

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    requests += 1;
    response.statusCode = isFailing ? answerTo(request.headers['webhook-id'] as string) : 200;
    const waitMs = Number(/[?&]wait_ms=(\d+)/.exec(request.url ?? '')?.[1] ?? 0);
    if (waitMs > 0) setTimeout(() => response.end(), waitMs);
    else response.end();
  });
});

/** Every second attempt on an event succeeds. */
function answerTo(id: string): number {
  const attempt = (attempts.get(id) ?? 0) + 1;
  attempts.set(id, attempt);
  if (attempt % 2 === 1) return 500;
  accepted.set(id, (accepted.get(id) ?? 0) + 1);
  return 200;
}

const tally = (): Tally => {
  const times = [...accepted.values()];
  return {
    requests,
    accepted: times.filter((count) => count === 1).length,
    acceptedTwice: times.filter((count) => count > 1).length,
  };
};

process.on('message', ({ question }: { question: ReceiverQuestion }) => {
  if (question === 'tally') return process.send?.(tally());
  isFailing = question === 'failing';
  const address = () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`);
  if (server.listening) address();
  else server.listen(0, '127.0.0.1', address);
});
