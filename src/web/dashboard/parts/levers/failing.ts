import type { Outcome } from '../../../../domain/contract.ts';
import type { Contract, PlanInstallment } from '../../../../operations/wire.ts';

/**
 * The outcomes after which an installment fails. Those arranged for attempts on earlier and later installments stay. None
 * if the installment has no attempt left.
 */
export function failing(
  { installments }: Pick<Contract, 'installments'>,
  of: PlanInstallment,
  arranged: readonly Outcome[],
): Outcome[] {
  if (attemptsLeft(of) === 0) return [];
  const left = [...arranged];
  /** The outcomes of one installment, which end with the first payment. */
  const take = (each: PlanInstallment) => {
    const taken: Outcome[] = [];
    while (taken.length < attemptsLeft(each) && taken.at(-1) !== 'pay') taken.push(left.shift() ?? 'pay');
    return taken;
  };
  const earlier = installments.filter(({ sequence }) => sequence < of.sequence).flatMap(take);
  take(of);
  return [...earlier, ...Array.from({ length: attemptsLeft(of) }, () => 'fail' as const), ...left];
}

/** An installment has two attempts. If it is due, the first one has already failed. */
const attemptsLeft = ({ status }: PlanInstallment) => (status === 'upcoming' ? 2 : status === 'due' ? 1 : 0);
