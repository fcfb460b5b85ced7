import { INSTALLMENT_STATUSES } from '../../../../domain/installment.ts';
import type { Contract, PlanInstallment } from '../../../../operations/wire.ts';
import { spaced } from '../../words.ts';
import { Badge } from '../ui.tsx';

/** The worst overdue status among the installments of an active contract. */
function worstOf({ status, installments }: Contract): 'delinquent' | 'past_due' | null {
  if (status !== 'active') return null;
  const has = (name: string) => installments.some((each) => each.status === name);
  return has('delinquent') ? 'delinquent' : has('past_due') ? 'past_due' : null;
}

/** Stands beside the contract's status, because the service calls an overdue contract active. */
export function OverdueBadge({ of }: { of: Contract }) {
  const worst = worstOf(of);
  return worst && <Badge of={worst} />;
}

/** `2 of 5 paid, 1 past due, 2 upcoming`. */
export function scheduleInWords(installments: readonly PlanInstallment[]): string {
  const of = (name: string) => installments.filter(({ status }) => status === name).length;
  const rest = [...INSTALLMENT_STATUSES].reverse().filter((name) => name !== 'paid' && of(name) > 0);
  return [`${of('paid')} of ${installments.length} paid`, ...rest.map((name) => `${of(name)} ${spaced(name)}`)].join(
    ', ',
  );
}
