import type { ComponentChildren } from 'preact';
import { isFailure } from '../../../../domain/event.ts';
import { isDelivered } from '../../../../domain/webhook.ts';
import type { Happened } from '../../../../operations/wire.ts';
import { momentOf, money } from '../../words.ts';
import type { Place } from '../here.ts';
import type { Whole } from './timeline.ts';

/** Something that happened at an instant, or that is forecast. */
export interface Mark {
  readonly key: string;
  readonly at: string;
  readonly text: string;
  readonly glyph: ComponentChildren;
  readonly class: string;
  /** Absent for a forecast. */
  readonly href?: string;
}

/** The marks of each lane, oldest first. Marks of the same instant keep the order in which they happened. */
export function marksOf(of: Whole, here: Place): readonly (readonly [name: string, marks: readonly Mark[]])[] {
  const oldest = (marks: readonly Mark[]) => marks.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return [
    ['Payments', oldest(payments(of))],
    ['Emails', oldest(emails(of, here))],
    ['Events', oldest(events(of, here))],
    ['Deliveries', oldest(deliveries(of, here))],
  ];
}

function payments({ attempts, ahead, contract }: Whole): Mark[] {
  const amountOf = (subject: string) => {
    const found = contract.installments.find((each) => String(each.installment_number) === numberOf(subject));
    return found ? `, ${money(found.amount)}` : '';
  };
  const payment = (isPaid: boolean, what: string, at: string) => ({
    at,
    class: isPaid ? 'attempt pay' : 'attempt fail',
    glyph: paymentGlyph(isPaid),
    text: `${what}: ${isPaid ? 'paid' : 'failed'}, ${momentOf(at)}`,
  });
  return [
    ...attempts.map(({ reference, at, outcome, amount, number, sequence }) => {
      const capture = sequence === 1 ? 'the Cart Capture' : `installment ${sequence - 1}`;
      return {
        ...payment(outcome === 'pay', `Attempt ${number} on ${capture}, ${money(amount)}`, at),
        key: reference,
        href: `#${reference}`,
      };
    }),
    ...ahead
      .filter(({ type }) => type === 'installment.paid' || type === 'installment.payment_failed')
      .map(({ at, type, subject }, index) => ({
        ...payment(type === 'installment.paid', `Ahead: payment${ofInstallment(subject)}${amountOf(subject)}`, at),
        key: `ahead ${index}`,
      })),
  ];
}

const emails = (of: Whole, { href }: Place): Mark[] =>
  of.emails.map(({ id, created_at: at, subject }) => ({
    key: id,
    at,
    class: 'notice',
    href: href('inbox', id),
    glyph: (
      <>
        <rect x={-9} y={-7} width={18} height={14} rx={2} />
        <path d="M-9-6l9 7 9-7" />
      </>
    ),
    text: `Email: ${subject}, ${momentOf(at)}`,
  }));

function events(of: Whole, { href }: Place): Mark[] {
  const event = ({ at, type, subject }: Pick<Happened, 'at' | 'type' | 'subject'>) => ({
    at,
    class: isFailure(type) ? 'happening bad' : 'happening',
    glyph: eventGlyph(isFailure(type)),
    text: `${type}${ofInstallment(subject)}, ${momentOf(at)}`,
  });
  return [
    ...of.events
      .toReversed()
      .map(({ id, created_at: at, ...rest }) => ({ ...event({ at, ...rest }), key: id, href: href('events', id) })),
    ...of.ahead.map((each, index) => {
      const foreseen = event(each);
      return { ...foreseen, key: `ahead ${index}`, text: `Ahead: ${foreseen.text}` };
    }),
  ];
}

function deliveries(of: Whole, { href, now }: Place): Mark[] {
  const types = new Map(of.events.map(({ id, type }) => [id, type]));
  return of.deliveries.toReversed().flatMap(({ id, url, event_id, attempts, next_attempt_at: next }) => {
    const what = `${types.get(event_id) ?? 'event'} to ${url}`;
    const way = href('webhooks', id);
    return [
      ...attempts.map(({ number, at, status_code: code, error }) => {
        const isGood = isDelivered({ statusCode: code, error });
        const answer = [code, error].filter((each) => each !== null).join(', ');
        return {
          key: `${id} ${number}`,
          at,
          class: isGood ? 'delivery' : 'delivery bad',
          href: way,
          glyph: deliveryGlyph(isGood),
          text: `Delivery attempt ${number} of ${what}: ${answer || 'no response'}, ${momentOf(at)}`,
        };
      }),
      ...(next === null || Date.parse(next) <= now
        ? []
        : [
            {
              key: `${id} next`,
              at: next,
              class: 'delivery foreseen',
              href: way,
              glyph: deliveryGlyph(true),
              text: `Ahead: delivery attempt ${attempts.length + 1} of ${what}, ${momentOf(next)}`,
            },
          ]),
    ];
  });
}

/** The installment in the subject of an event. */
const numberOf = (subject: string) => subject.split('#')[1];

const ofInstallment = (subject: string) => {
  const number = numberOf(subject);
  return number === undefined ? '' : ` of installment ${number}`;
};

/** Success and failure differ in shape, not only in color. */
const paymentGlyph = (isPaid: boolean) => (
  <>
    <circle r={8} />
    <path d={isPaid ? 'M-4 0l3 3 5-6' : 'M-3.5-3.5l7 7M3.5-3.5l-7 7'} />
  </>
);
const eventGlyph = (isBad: boolean) => (
  <>
    <path class="body" d="M0-9l8 9-8 9-8-9z" />
    {isBad && <path class="inner" d="M0-5v5M0 3v1.5" />}
  </>
);
const deliveryGlyph = (isGood: boolean) => (
  <>
    <path class="body" d="M-8-7l16 7-16 7 3-7z" />
    {!isGood && <path class="inner" d="M-2-3l5 6M3-3l-5 6" />}
  </>
);
