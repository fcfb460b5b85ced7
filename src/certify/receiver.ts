import { withoutUserInfo } from '../domain/secret-text.ts';
import { shortened } from '../domain/text.ts';
import { type AttemptOutcome, isDelivered } from '../domain/webhook.ts';
import type { CertifyExchange } from './certificate.ts';
import type { CertifyError } from './error.ts';
import type { Stop } from './stop.ts';

/** Sends a request; passed in, because only `webhook/` calls out. */
export type Post = (posting: {
  readonly url: string;
  readonly method?: 'GET';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  readonly insecure: boolean;
}) => Promise<AttemptOutcome>;

/** What a request carries, and what is special about it. */
export interface Letter {
  readonly what: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Sent extends CertifyExchange {
  /** The address in a redirect, empty if it has none; null for any other answer. */
  readonly location: string | null;
}

/** After so many timeouts in a row, nothing more is sent. */
const SILENT_AFTER = 3;
/** Real time for the whole examination; nothing is sent after it. Enough for 5 s an answer, which `acknowledges` allows. */
const PATIENCE_MS = 1_200_000;
const KEPT_CHARACTERS = 2_000;

export type Receiver = ReturnType<typeof createReceiver>;

/**
 * The receiver under examination. So that every examination ends, nothing more is sent to one that stays silent. With
 * `follows`, a redirect to the same host is followed once, so that it fails `no-redirect` and nothing else.
 */
export function createReceiver({
  url,
  extra,
  insecure,
  follows,
  post,
  now,
  signal,
  absent,
  reached,
  timeoutMs,
}: {
  readonly url: string;
  /** Headers of every request besides those of the letter. */
  readonly extra: Readonly<Record<string, string>>;
  readonly insecure: boolean;
  readonly follows: boolean;
  readonly post: Post;
  readonly now: () => number;
  readonly signal: Stop | undefined;
  /** The error for a receiver that is not there; null for any other outcome. */
  readonly absent: (outcome: AttemptOutcome) => CertifyError | null;
  /** Called once, when it is there. */
  readonly reached: () => unknown;
  readonly timeoutMs: number;
}) {
  const redirects: Sent[] = [];
  const endsAt = now() + PATIENCE_MS;
  let timeouts = 0;
  let isKnown = false;
  let hasAccepted = false;
  let isSilent = false;

  function whyUnsent(): string | null {
    if (timeouts >= SILENT_AFTER) {
      const begun = isSilent ? '' : ', only its beginning, as without a Content-Length';
      return `${SILENT_AFTER} requests in a row got no complete response within ${timeoutMs / 1000} s${begun}`;
    }
    return now() > endsAt ? `the examination had taken ${PATIENCE_MS / 60_000} minutes` : null;
  }

  async function attempt(to: string, method: 'POST' | 'GET', { what, headers, body }: Letter): Promise<Sent> {
    signal?.throwIfAborted();
    const sent = {
      what,
      method,
      url: withoutUserInfo(to),
      headers,
      body: method === 'GET' ? null : keptOf(body),
    };
    const unsent = whyUnsent();
    if (unsent) {
      return {
        sent,
        answered: { status: null, duration_ms: 0, error: `not sent: ${unsent}`, body: null },
        location: null,
      };
    }
    const outcome = await post({
      ...{ url: to, headers: { ...extra, ...headers }, body, timeoutMs, insecure },
      ...(method === 'GET' ? { method } : {}),
    });
    signal?.throwIfAborted();
    const { statusCode, error, durationMs, responseBody, responseHeaders } = outcome;
    if (!isKnown) {
      const missing = absent(outcome);
      if (missing) throw missing;
      isKnown = true;
      await reached();
    }
    isSilent = statusCode === null;
    hasAccepted ||= isDelivered(outcome);
    // An answer that has a status but never ends takes as long.
    timeouts = error !== null && durationMs >= timeoutMs ? timeouts + 1 : 0;
    return {
      sent,
      answered: { status: statusCode, duration_ms: durationMs, error, body: responseBody },
      location: isRedirect(statusCode) ? (responseHeaders.location ?? '') : null,
    };
  }

  async function following(first: Sent, letter: Letter): Promise<Sent> {
    const target = first.location !== null && URL.canParse(first.location, url) ? new URL(first.location, url) : null;
    if (!follows || target?.host !== new URL(url).host) return first;
    return attempt(target.href, 'POST', { ...letter, what: `${letter.what} (redirected)` });
  }

  return {
    /** Whether it may still work on an event that it accepted. */
    isBusy: () => hasAccepted && !isSilent,
    /** Whether the latest request got no answer. */
    isSilent: () => isSilent,
    /** Why no more requests are sent to it. Null while they are. */
    whyUnsent,
    /** Redirects of letters that the receiver must accept. */
    redirects: redirects as readonly Sent[],
    get: () => attempt(url, 'GET', { what: 'a GET', headers: {}, body: '' }),
    /** Without following. */
    send: (letter: Letter) => attempt(url, 'POST', letter),
    /** Sends a letter that the receiver must accept. */
    async deliver(letter: Letter): Promise<Sent> {
      const first = await attempt(url, 'POST', letter);
      if (first.location !== null) redirects.push(first);
      return following(first, letter);
    },
    /**
     * Sends a letter that the receiver must refuse. A redirect, such as to a login page, is not a refusal; it is
     * followed only if the receiver redirects genuine letters too.
     */
    async forge(letter: Letter): Promise<Sent> {
      const first = await attempt(url, 'POST', letter);
      return redirects.length > 0 ? following(first, letter) : first;
    },
  };
}

const isRedirect = (status: number | null) => status !== null && status >= 300 && status <= 399;

const keptOf = (text: string) =>
  text.length > KEPT_CHARACTERS ? `${shortened(text, KEPT_CHARACTERS)} (${text.length} characters in all)` : text;

/** 2xx, whole. */
export const isAccepted = ({ answered: { status, error } }: Pick<CertifyExchange, 'answered'>) =>
  isDelivered({ statusCode: status, error });

/** 4xx. */
export const isRefused = ({ answered: { status } }: CertifyExchange) =>
  status !== null && status >= 400 && status <= 499;
