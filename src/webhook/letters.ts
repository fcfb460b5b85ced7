import type { Delivery, Endpoint, Letter } from '../domain/webhook.ts';
import type { Outbox } from '../engine/outbox.ts';
import type { Clocks } from '../time/clocks.ts';
import type { RealTime } from '../time/real.ts';
import { signedHeaders } from './sign.ts';

/** What letters are written with. */
interface LetterRooms {
  readonly outbox: Pick<Outbox, 'outgoing'>;
  readonly clocks: Pick<Clocks, 'now'>;
  readonly time: Pick<RealTime, 'now'>;
}

/** Writes what is sent for a delivery. */
export function createLetters({ outbox, clocks, time }: LetterRooms) {
  const seconds = () => Math.floor(time.now() / 1000);

  return {
    /** The stored body, byte for byte, with the signatures of this instant. */
    letterOf(delivery: Delivery, endpoint: Endpoint | null): Letter {
      const { token, body, accountSecret } = outbox.outgoing(delivery);
      const secrets = delivery.isForged
        ? [FORGED_SECRET]
        : secretsOf(endpoint, accountSecret, clocks.now(delivery.accountId));
      return { headers: signedHeaders(token, seconds(), body, secrets), body };
    },
    isOfThisSecond: ({ headers }: Letter) => headers['webhook-timestamp'] === String(seconds()),
  };
}

/** No endpoint has this secret, so a receiver must refuse what it signs. */
const FORGED_SECRET = `whsec_${Buffer.from('this secret is no endpoint’s own').toString('base64')}`;

/** The secret of the endpoint and, for a day after a rotation, the previous one. */
function secretsOf(endpoint: Endpoint | null, fallback: string, now: number): string[] {
  if (!endpoint) return [fallback];
  const { previous } = endpoint;
  return previous && now < previous.until ? [endpoint.secret, previous.secret] : [endpoint.secret];
}
