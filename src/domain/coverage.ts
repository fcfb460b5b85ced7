import { FINDING_RULES, FINDINGS, type FindingRule, type Severity } from './findings.ts';
import { FIRST_KINDS, type FirstKind, SITUATION_GROUPS, type Situation, type SituationGroup } from './situations.ts';

/** The first occurrence: an instant of the account's clock, and the id that proves it; null if it was not logged. */
export interface First {
  readonly at: string;
  readonly kind: FirstKind;
  readonly id: string | null;
  /** The account whose id it is, in a sum over several accounts; otherwise null. */
  readonly client_id: string | null;
}

export interface Noted {
  readonly count: number;
  readonly first: First;
}

/** The situations that a store has met, and the findings about it (interface §9), as on the wire. */
export interface CoverageReport {
  readonly met: number;
  readonly total: number;
  /** One decimal, rounded down. */
  readonly percent: number;
  readonly groups: readonly {
    readonly id: SituationGroup;
    readonly title: string;
    readonly met: number;
    readonly total: number;
  }[];
  readonly situations: readonly {
    readonly id: string;
    readonly group: SituationGroup;
    readonly title: string;
    readonly section: string;
    readonly met: number;
    readonly first: First | null;
    readonly how: string;
  }[];
  readonly findings: readonly {
    readonly rule: FindingRule;
    readonly severity: Severity;
    readonly title: string;
    readonly count: number;
    readonly first: First;
    readonly why: string;
  }[];
}

/** `request req_…`, as a sentence names a first occurrence, or `request req_… of mch_test_…`. */
export const firstText = ({ kind, id, client_id }: Pick<First, 'kind' | 'id' | 'client_id'>) =>
  [id === null ? `a ${kind} (not logged)` : `${kind} ${id}`, client_id].filter(Boolean).join(' of ');

/** Makes the report. `noted` finds what was noted under the id of a situation or the name of a rule. */
export function reportOf(situations: readonly Situation[], noted: (what: string) => Noted | undefined): CoverageReport {
  const rows = situations.map(({ id, group, title, section, how }) => {
    const { count, first } = noted(id) ?? { count: 0, first: null };
    return { id, group, title, section, met: count, first, how };
  });
  const tally = (of: readonly { readonly met: number }[]) => ({
    met: of.filter(({ met }) => met > 0).length,
    total: of.length,
  });
  const { met, total } = tally(rows);
  return {
    met,
    total,
    percent: Math.floor((met * 1000) / total) / 10,
    groups: (Object.keys(SITUATION_GROUPS) as SituationGroup[]).map((id) => ({
      id,
      title: SITUATION_GROUPS[id],
      ...tally(rows.filter(({ group }) => group === id)),
    })),
    situations: rows,
    findings: FINDING_RULES.flatMap((rule) => {
      const found = noted(rule);
      const { severity, title, why } = FINDINGS[rule];
      return found ? [{ rule, severity, title, ...found, why }] : [];
    }),
  };
}

/** Sums reports about the same situations: those of several accounts, or of the shards of a test run. */
export function mergeReports(situations: readonly Situation[], reports: readonly CoverageReport[]): CoverageReport {
  const sums = new Map<string, Noted>();
  const add = (what: string, count: number, first: First | null) => {
    if (first === null) return;
    const sum = sums.get(what);
    sums.set(what, {
      count: count + (sum?.count ?? 0),
      // A file of an older version names no account.
      first: sum && sum.first.at <= first.at ? sum.first : { ...first, client_id: first.client_id ?? null },
    });
  };
  for (const report of reports) {
    for (const { id, met, first } of report.situations) add(id, met, first);
    for (const { rule, count, first } of report.findings) add(rule, count, first);
  }
  return reportOf(situations, (what) => sums.get(what));
}

/** Sums the reports of accounts, by client id. If several have met anything, each first occurrence names its account. */
export function sumOfAccounts(
  situations: readonly Situation[],
  reports: readonly (readonly [string, CoverageReport])[],
) {
  const used = reports.filter(([, { met, findings }]) => met > 0 || findings.length > 0);
  return mergeReports(
    situations,
    used.map(([clientId, report]) => (used.length > 1 ? naming(clientId, report) : report)),
  );
}

function naming(client_id: string, report: CoverageReport): CoverageReport {
  return {
    ...report,
    situations: report.situations.map(({ first, ...each }) => ({ ...each, first: first && { ...first, client_id } })),
    findings: report.findings.map(({ first, ...each }) => ({ ...each, first: { ...first, client_id } })),
  };
}

/** Whether a value is a report, of any version. */
export function isReport(value: unknown): value is CoverageReport {
  const { situations, findings } = (value ?? {}) as Partial<Record<keyof CoverageReport, unknown>>;
  return isRows(situations, 'id', 'met') && isRows(findings, 'rule', 'count');
}

/** Each row has a name, a count and, if it occurred, its first occurrence. */
const isRows = (rows: unknown, name: string, count: string): boolean =>
  Array.isArray(rows) &&
  rows.every(
    (row) =>
      typeof row?.[name] === 'string' &&
      Number.isSafeInteger(row[count]) &&
      (row.first === null ? row[count] === 0 : row[count] > 0 && isFirst(row.first)),
  );

const isFirst = (first: Partial<Record<keyof First, unknown>> | undefined): boolean =>
  typeof first?.at === 'string' &&
  (first.id === null || typeof first.id === 'string') &&
  typeof (first.client_id ?? '') === 'string' &&
  FIRST_KINDS.some((kind) => kind === first.kind);

/** Whether a report is about these situations, and its findings are known. */
export const isOfTable = (
  situations: readonly Situation[],
  report: Pick<CoverageReport, 'situations' | 'findings'>,
): boolean =>
  report.situations.length === situations.length &&
  report.situations.every(({ id }, index) => id === situations[index]?.id) &&
  report.findings.every(({ rule }) => FINDING_RULES.includes(rule));
