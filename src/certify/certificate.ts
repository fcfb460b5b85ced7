/** `must`: a store that fails it loses orders or trusts strangers. `should`: good manners. */
export type Level = 'must' | 'should';

export type Verdict = 'pass' | 'fail' | 'skip';

/** One request to the receiver and its answer. */
export interface CertifyExchange {
  readonly sent: {
    /** What was special about it, in words. */
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
    /** Why there is no whole answer. */
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
  /** The exchanges that decided: those that were wrong, otherwise the first ones. */
  readonly exchanges: readonly CertifyExchange[];
  /** Where to read how to mend it. */
  readonly fix: string;
  /** What was wrong, what was counted, or why it was skipped. */
  readonly note: string | null;
}

/** The result of an examination (interface §10). */
export interface Certificate {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** From this level on a failure counts. */
  readonly level: Level;
  readonly checks: readonly CertifyCheck[];
}

/** Whether nothing failed that counts at its level. */
export const isCertified = ({ level, checks }: Certificate): boolean =>
  !checks.some((check) => check.verdict === 'fail' && (level === 'should' || check.level === 'must'));
