/** `must`: a store that fails loses orders or trusts strangers. `should`: recommended. */
export type Level = 'must' | 'should';

export type Verdict = 'pass' | 'fail' | 'skip';

/** One request to the receiver and its answer. */
export interface CertifyExchange {
  readonly sent: {
    /** What is special about it, in words. */
    readonly what: string;
    readonly method: 'POST' | 'GET';
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    /** The first 2,000 characters; null for a GET. */
    readonly body: string | null;
  };
  readonly answered: {
    /** Null when no answer came. */
    readonly status: number | null;
    readonly duration_ms: number;
    /** Why there is no complete answer; null when there is one. */
    readonly error: string | null;
    /** The first KiB. */
    readonly body: string | null;
  };
}

/** The result of one check. */
export interface CertifyCheck {
  readonly id: string;
  readonly level: Level;
  readonly title: string;
  readonly verdict: Verdict;
  readonly why: string;
  /** At most ten exchanges: those that were wrong or led to a wrong state, otherwise the first ones. */
  readonly exchanges: readonly CertifyExchange[];
  /** The section of docs/webhooks.md that says how to fix it. */
  readonly fix: string;
  /** What was wrong, what was counted, or why it was skipped. */
  readonly note: string | null;
}

/** The result of an examination (interface §10). */
export interface Certificate {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Which failures count: with `must` those of level `must`, with `should` all. */
  readonly level: Level;
  readonly checks: readonly CertifyCheck[];
}

/** Whether a failure of the check counts at that level. */
export const isCounted = (check: Pick<CertifyCheck, 'level'>, level: Level): boolean =>
  level === 'should' || check.level === 'must';

/**
 * Whether no check failed that counts at the level of the certificate.
 * @throws TypeError
 */
export function isCertified({ level, checks }: Certificate): boolean {
  // Without types, callers forget to wait for `certify()`.
  if (!Array.isArray(checks)) {
    throw new TypeError('isCertified needs a certificate, such as the one that certify resolves with.');
  }
  return !checks.some((check) => check.verdict === 'fail' && isCounted(check, level));
}
