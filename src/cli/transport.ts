import type { IncomingMessage } from 'node:http';
import * as bare from '../exchange.ts';
import { unreachable, usage } from './exit.ts';

/**
 * Sends a request and reads its whole answer.
 * @throws CommandError when no HTTP answer comes
 */
export const exchange: bare.Exchange = (outgoing) =>
  bare.exchange(outgoing).catch((error) => {
    throw explain(error, outgoing);
  });

/**
 * Sends a request and answers as soon as the head of its answer is there.
 * @throws CommandError when no HTTP answer comes
 */
export const open = (outgoing: bare.Outgoing): Promise<IncomingMessage> =>
  bare.open(outgoing).catch((error) => {
    throw explain(error, outgoing);
  });

function explain(error: unknown, { url, patienceMs }: bare.Outgoing): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  const { origin, hostname } = new URL(url);
  if (code === 'ERR_INVALID_CHAR') {
    return usage('A client id, a key or an idempotency key holds a character that no HTTP header can carry.');
  }
  if (code === 'ECONNREFUSED') {
    return unreachable(
      `Nothing answers at ${origin}. Start the simulator with \`layaway serve\`, or name another address with --base-url.`,
      error,
    );
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return unreachable(`The host ${hostname} is not known. Check --base-url and the network.`, error);
  }
  if (code === 'ETIMEDOUT') {
    return unreachable(
      `${origin} gave no answer within ${Math.round(patienceMs / 1000)} seconds. Check that the address is right and its server well.`,
      error,
    );
  }
  if (code.startsWith('HPE_')) return otherKind(origin, 'it does not speak HTTP', error);
  if (code === 'EPROTO') return otherKind(origin, 'it does not speak HTTPS', error);
  return unreachable(
    `The connection to ${origin} failed (${code || (error as Error).message}). Check that the server still runs, then try again.`,
    error,
  );
}

/** Somebody answers, but nobody we know. */
export function otherKind(origin: string, why: string, cause?: unknown) {
  return unreachable(
    `The server at ${origin} is not the Layaway Checkout Service: ${why}. Is another program on that port? Name the right address with --base-url.`,
    cause,
  );
}
