import type { CertifyExchange } from './certificate.ts';
import { letterOf, type Signing } from './letters.ts';
import { notExamined } from './notes.ts';
import type { Observer } from './observe.ts';
import type { GenuineEvent, Order, Orders } from './orders.ts';
import { isAccepted, isRefused, type Letter, type Receiver, type Sent } from './receiver.ts';

/** What the checks of one examination share. */
export interface Exam extends Signing {
  readonly receiver: Receiver;
  readonly orders: Orders;
  /** Null without `observe`. The first call sends the events of an order, to get to know the store. */
  observer(): Promise<Observer | null>;
  /** Remembers an order all of whose events were sent, for when the store shows nothing of later ones. */
  sentAll(order: Order): void;
  /** A live secret, other than `secret`. */
  readonly liveSecret: string;
  readonly mode: 'sandbox' | 'live';
  readonly endpoint: { readonly url: string; readonly secret: string };
  /** New random text. */
  readonly draw: () => string;
  /** The next genuine event, which the receiver must accept: the events of one order after the other, in order. */
  next(): Promise<GenuineEvent>;
  /** A copy of a genuine event under a new id, for letters that the receiver must refuse. */
  likeness(): Promise<GenuineEvent>;
  /** Sends 100 genuine events, eight at a time. Later calls get what the first one got. */
  burst(): Promise<Burst>;
}

export interface Burst {
  readonly sent: readonly Sent[];
  /** The orders all of whose events were sent. */
  readonly orders: readonly Order[];
}

/** What a check found. */
export interface Finding {
  readonly exchanges: readonly CertifyExchange[];
  readonly problems: readonly string[];
  readonly note?: string;
  readonly isSkipped?: true;
}

/** What a check found that could not be made. */
export const skipped = (why: string): Finding => ({
  exchanges: [],
  problems: [],
  isSkipped: true,
  note: notExamined(why),
});

/** Sends the letters of one check and records what was wrong. */
export function createTrial(exam: Exam) {
  const exchanges: CertifyExchange[] = [];
  const wrong = new Set<CertifyExchange>();
  const problems: string[] = [];

  function judge(sent: Sent, isRight: boolean, demand: string): Sent {
    exchanges.push(sent);
    if (isRight) return sent;
    wrong.add(sent);
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
    isRight: () => problems.length === 0,
    statuses: () => exchanges.map(({ answered }) => answered.status),
    /** `shownBy` are the exchanges that led to it, although each of them was right. */
    fail(problem: string, shownBy: readonly CertifyExchange[] = []) {
      problems.push(problem);
      for (const exchange of shownBy) wrong.add(exchange);
    },
    /** Sends the first `count` events of an order, in order. */
    async play(order: Order, count: number) {
      for (const event of order.events.slice(0, count)) await this.accept(letterOf(exam, event));
    },
    found: (note?: string): Finding => ({
      exchanges: wrong.size > 0 ? [...wrong] : exchanges,
      problems,
      ...(note === undefined ? {} : { note }),
    }),
  };
}

export type Trial = ReturnType<typeof createTrial>;

export const answerOf = ({ answered: { status, error } }: CertifyExchange) =>
  status === null ? `no response (${error})` : error === null ? `returned ${status}` : `returned ${status} (${error})`;
