import { WEBHOOK_TIMEOUT_MS } from '../../domain/assumptions.ts';
import { type AttemptOutcome, type Letter, NOBODY_LISTENS } from '../../domain/webhook.ts';
import type { Deliver } from '../../webhook/deliver.ts';
import { watchUnreached } from '../unreached.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Posts to a receiver on behalf of the server. A receiver on this machine may listen on only one loopback address, so
 * if one refuses, the others are tried, and the one that answers is kept.
 */
export function createForwarder(
  { deliver }: Deliver,
  { url, insecure, note }: { readonly url: string; readonly insecure: boolean; readonly note: (text: string) => void },
): (letter: Letter) => Promise<AttemptOutcome> {
  const { host, hostname } = new URL(url);
  const unreached = watchUnreached(note);
  let answering = hostname;

  const post = (at: string, { headers, body }: Letter) => {
    const there = new URL(url);
    there.hostname = at;
    return deliver({ url: there.href, headers: { host, ...headers }, body, timeoutMs: WEBHOOK_TIMEOUT_MS, insecure });
  };

  return async (letter) => {
    const outcome = await post(answering, letter);
    const isRefused = outcome.error === NOBODY_LISTENS && LOOPBACK.includes(hostname);
    const others = isRefused ? LOOPBACK.filter((name) => name !== answering) : [];
    for (const other of others) {
      const second = await post(other, letter);
      if (second.error === NOBODY_LISTENS) continue;
      note(`${answering} refused the connection. Events go to ${other}, which answers.`);
      answering = other;
      return second;
    }
    unreached(url, outcome.error, others);
    return outcome;
  };
}
