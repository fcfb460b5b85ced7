import type { CertifyExchange } from './certificate.ts';
import type { Observer } from './observe.ts';
import type { GenuineEvent, Order, Orders } from './orders.ts';
import { isAccepted, isRefused, type Letter, type Receiver, type Sent } from './receiver.ts';

/** Signs as the service does. */
export type Sign = (
  id: string,
  timestampSeconds: number,
  body: string,
  secrets: readonly string[],
) => Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>>;

/** What the checks of one examination share. */
export interface Exam {
  readonly receiver: Receiver;
  readonly orders: Orders;
  /** Null without `observe`. The first call sends the events of an order, to get to know the store. */
  observer(): Promise<Observer | null>;
  readonly secret: string;
  /** A live secret, other than `secret`. */
  readonly liveSecret: string;
  readonly mode: 'sandbox' | 'live';
  readonly endpoint: { readonly url: string; readonly secret: string };
  readonly sign: Sign;
  /** Real time: that is what receivers compare timestamps with. */
  readonly now: () => number;
  /** New random text. */
  readonly draw: () => string;
  /** The next genuine event, which the receiver must accept: the events of one order after the other, in order. */
  next(): Promise<GenuineEvent>;
  /** A copy of a genuine event under a new id, for letters that the receiver must refuse. */
  likeness(): Promise<GenuineEvent>;
  /** Sends 100 genuine events, eight at a time. Later calls get the answers of the first. */
  burst(): Promise<readonly Sent[]>;
}

/** What a check found. */
export interface Finding {
  readonly exchanges: readonly CertifyExchange[];
  readonly problems: readonly string[];
  readonly note?: string;
  readonly isSkipped?: true;
}

interface SignOptions {
  readonly what?: string;
  readonly secrets?: readonly string[];
  /** How far the timestamp lies from now. */
  readonly awaySeconds?: number;
}

/** The letter that carries an event, signed now unless `awaySeconds` says otherwise. */
export function letterOf(exam: Exam, { id, type, body }: GenuineEvent, options: SignOptions = {}): Letter {
  const { what = type, secrets = [exam.secret], awaySeconds = 0 } = options;
  const timestamp = Math.floor(exam.now() / 1000) + awaySeconds;
  return { what, headers: { 'content-type': 'application/json', ...exam.sign(id, timestamp, body, secrets) }, body };
}

/** Sends the letters of one check and records what was wrong. */
export function createTrial(exam: Exam) {
  const exchanges: CertifyExchange[] = [];
  const wrong: CertifyExchange[] = [];
  const problems: string[] = [];

  function judge(sent: Sent, isRight: boolean, demand: string): Sent {
    exchanges.push(sent);
    if (isRight) return sent;
    wrong.push(sent);
    problems.push(`${sent.sent.what}: ${answerOf(sent)}, ${demand}`);
    return sent;
  }

  return {
    /** Sends a letter that must be answered with 2xx. */
    accept: async (letter: Letter) => {
      const sent = await exam.receiver.deliver(letter);
      return judge(sent, isAccepted(sent), 'must be 2xx');
    },
    /** Sends a letter that must be answered with 4xx. */
    refuse: async (letter: Letter) => {
      const sent = await exam.receiver.forge(letter);
      return judge(sent, isRefused(sent), 'must be 4xx');
    },
    judge,
    statuses: () => exchanges.map(({ answered }) => answered.status),
    fail: (problem: string) => void problems.push(problem),
    /** Sends the first `count` events of an order, in order. */
    async play(order: Order, count: number) {
      for (const event of order.events.slice(0, count)) await this.accept(letterOf(exam, event));
    },
    found: (note?: string): Finding => ({
      exchanges: wrong.length > 0 ? wrong : exchanges,
      problems,
      ...(note === undefined ? {} : { note }),
    }),
  };
}

export type Trial = ReturnType<typeof createTrial>;

export const answerOf = ({ answered: { status, error } }: CertifyExchange) =>
  status === null ? `no answer (${error})` : error === null ? `answered ${status}` : `answered ${status} (${error})`;
