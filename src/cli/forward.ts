import { existsSync } from 'node:fs';
import { WEBHOOK_TIMEOUT_MS } from '../domain/assumptions.ts';
import type { AttemptOutcome, Letter } from '../domain/webhook.ts';
import type { Deliver } from '../webhook/deliver.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Posts to a receiver on behalf of the server. A receiver on this machine may listen on only one loopback address, so
 * if one refuses, the others are tried, and the one that answers is kept.
 */
export function createForwarder(
  { deliver }: Deliver,
  url: string,
  refused: string,
  note: (text: string) => void,
  insecure: boolean,
): (letter: Letter) => Promise<AttemptOutcome> {
  const { host, hostname } = new URL(url);
  let answering = hostname;
  let toldRefused = false;

  const post = (at: string, { headers, body }: Letter) => {
    const there = new URL(url);
    there.hostname = at;
    return deliver({ url: there.href, headers: { host, ...headers }, body, timeoutMs: WEBHOOK_TIMEOUT_MS, insecure });
  };

  return async (letter) => {
    const outcome = await post(answering, letter);
    if (outcome.error !== refused) return outcome;
    const others = LOOPBACK.includes(hostname) ? LOOPBACK.filter((name) => name !== answering) : [];
    for (const other of others) {
      const second = await post(other, letter);
      if (second.error === refused) continue;
      note(`${answering} refused the connection. Events go to ${other}, which answers.`);
      answering = other;
      return second;
    }
    if (!toldRefused) note(refusal(url, others));
    toldRefused = true;
    return outcome;
  };
}

function refusal(url: string, others: readonly string[]): string {
  const tried = others.length === 0 ? '' : ` (tried ${others.join(' and ')} too)`;
  const inside = existsSync('/.dockerenv')
    ? ' This is a container. Use host.docker.internal to reach a receiver on the host.'
    : '';
  return `Nothing listens at ${url}${tried}. Start your receiver; failed events are sent again.${inside}`;
}
