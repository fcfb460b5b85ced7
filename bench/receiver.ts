/** A webhook receiver that only counts and answers, after the `wait_ms` in its URL. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How it answers from now on: with 200, or every second time. */
export interface ReceiverQuestion {
  readonly isFailing: boolean;
}
/** Where it listens, and what came so far. */
export interface ReceiverAnswer {
  readonly url: string;
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

function answer(): ReceiverAnswer {
  const times = [...accepted.values()];
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    requests,
    accepted: times.filter((count) => count === 1).length,
    acceptedTwice: times.filter((count) => count > 1).length,
  };
}

process.on('message', (question: ReceiverQuestion) => {
  isFailing = question.isFailing;
  const send = () => process.send?.(answer());
  if (server.listening) send();
  else server.listen(0, '127.0.0.1', send);
});
