import { isDelivered } from '../domain/webhook.ts';
import type { LayawayEvent } from '../library/wire.ts';
import type { CertifyCheck } from './certificate.ts';
import type { GenuineEvent } from './orders.ts';

// A certificate holds only the text of a note (interface §10). What a report reads from it is recognized here, beside what
// writes it.

type Noted = Pick<CertifyCheck, 'note'>;

/** Of a check that only compares the state of the store if it can. */
export const NOT_OBSERVED =
  'Only the responses were counted. With the observe option, the check also compares the state of the store.';

/** Whether the check judged only the answers, because it cannot read the state of the store. */
export const isUnobserved = ({ note }: Noted) => note?.includes(NOT_OBSERVED) ?? false;

/** Of a check whose reading of the state failed. The test that `layaway new` writes looks for "showed no state". */
export const notShown = (failure: string) =>
  `The observe option showed no state of the order (${failure}), so only the responses were counted. If the store knows only the orders of its own checkout, use the checkout option, too.`;

/** Of a check with more answers than the certificate keeps. */
export const allRight = (count: number) => `All ${count} responses were right.`;

const ALL_RIGHT = /^All (\d+) responses were right\.(?:\n|$)/;

/** How many answers were right, if the certificate does not keep all of them. */
export const countOfRight = ({ note }: Noted): number | undefined => {
  const count = ALL_RIGHT.exec(note ?? '')?.[1];
  return count === undefined ? undefined : Number(count);
};

/** The lines of a note, without the count of the answers. */
export const remarksIn = ({ note }: Noted): string[] => note?.split('\n').filter((line) => !ALL_RIGHT.test(line)) ?? [];

/** Of a check that was asked for but could not be made. */
export const notExamined = (why: string) => `Not examined: ${why}.`;

export const isNotExamined = ({ note }: Noted) => note?.startsWith('Not examined: ') ?? false;

/** The status of all these answers; undefined where they differ. */
function commonOf<Status>(statuses: readonly Status[]): Status | undefined {
  const [status, ...others] = new Set(statuses);
  return others.length > 0 ? undefined : status;
}

/**
 * What to check first if the receiver gives every genuine event the same refusal. If it redirects each, the refusal is that
 * of another page.
 */
export function refusedAll(statuses: readonly (number | null)[], isRedirected: boolean): string | undefined {
  const status = commonOf(statuses);
  if (!status || status < 300) return undefined;
  const answer = `Your store returned ${status} for every genuine event`;
  if (isRedirected && status >= 400) return `${answer}, after a redirect. ${REDIRECT}`;
  return [`${answer}.`, ADVICE[status]].filter(Boolean).join(' ');
}

const ABOUT_CONTRACT = /^(contract|installment)\./;

/** What to check first if the receiver gives everything about a contract the same refusal, because it has no such order. */
export function refusedContracts(
  events: readonly GenuineEvent[],
  statuses: readonly (number | null)[],
): string | undefined {
  const status = commonOf(statuses.filter((_status, index) => ABOUT_CONTRACT.test(events[index]?.type ?? '')));
  if (!status || status < 400) return undefined;
  return `Your store returned ${status} for every event about a contract. The contracts of an examination are not on your account. If your store knows only the orders of its own checkout, use the checkout option. If it reads contracts from the API, it must take the state from the event when the API returns 404.`;
}

/**
 * What to check first if the receiver gives the same refusal to every event that is older than those it accepts: it takes the
 * time of the event for that of the attempt.
 */
export function refusedOld(events: readonly GenuineEvent[], statuses: readonly (number | null)[]): string | undefined {
  const answers = events.map(({ type, body }, index) => ({
    type,
    at: (JSON.parse(body) as LayawayEvent).created_at,
    statusCode: statuses[index] ?? null,
    error: null,
  }));
  const refused = answers.filter((answer) => !isDelivered(answer));
  const status = commonOf(refused.map(({ statusCode }) => statusCode));
  if (!status || status < 400 || status > 499) return undefined;
  // The test is about no order: a store that knows only its own orders accepts it, too, and it is the latest.
  const accepted = answers.filter((answer) => isDelivered(answer) && answer.type !== 'webhook.test');
  const [first] = accepted.map(({ at }) => at).sort();
  if (first === undefined || refused.some(({ at }) => at >= first)) return undefined;
  return `Your store returned ${status} for every event from before ${first}. Check the age of \`webhook-timestamp\`, the time of the attempt, not of \`created_at\`, the time of the event, which may be days old.`;
}

/** A serializer may change every body: that of Python adds spaces, that of Go sorts the keys. */
const OTHER_SIGNATURE =
  'Does it verify the body byte for byte as received, with the same secret? Does it check the age of `webhook-timestamp`, in seconds, rather than of `created_at`?';
const OTHER_PATH = 'Is the path of the URL right?';
/** The check of Laravel answers 419, that of Django 403, that of Rails 422. */
const CSRF = 'Is the route exempt from the CSRF check?';
/** FastAPI answers 422 to a body of another shape. */
const OTHER_FIELDS = 'Does it expect the fields that the event has?';
const REDIRECT = 'The service does not follow redirects; the check `no-redirect` shows where they lead.';
const ADVICE: Readonly<Record<number, string>> = {
  ...{ 400: OTHER_SIGNATURE, 401: OTHER_SIGNATURE, 403: `${OTHER_SIGNATURE} ${CSRF}` },
  ...{ 419: CSRF, 422: `${CSRF} ${OTHER_FIELDS}` },
  ...{ 404: OTHER_PATH, 405: OTHER_PATH },
  ...Object.fromEntries([301, 302, 303, 307, 308].map((status) => [status, REDIRECT])),
};

const ALL_REFUSED =
  /^Your store returned (\d+) for every (?:genuine event|event about a contract|event from before \S+)[.,]/m;

/** The status with which the receiver refused all genuine events, or all about a contract. */
export const statusOfAllRefused = ({ note }: Noted): number | undefined => {
  const status = ALL_REFUSED.exec(note ?? '')?.[1];
  return status === undefined ? undefined : Number(status);
};
