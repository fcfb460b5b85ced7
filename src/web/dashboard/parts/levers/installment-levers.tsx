import type { Outcome } from '../../../../domain/contract.ts';
import { advanceClock } from '../../../../operations/clock.ts';
import { arrangeOutcomes } from '../../../../operations/contracts.ts';
import type { Contract, PlanInstallment } from '../../../../operations/wire.ts';
import { asker } from '../../ask.ts';
import { refresh } from '../../live.ts';
import { dateOf } from '../../words.ts';
import { tallyText } from '../time/travelling.tsx';
import { failing } from './failing.ts';
import { Act, Menu } from './levers.tsx';
import { teller } from './toast.tsx';
import { changedNothing, undoableTravel } from './undo.tsx';

/** Arranges outcomes and moves time until an installment is due, past due or delinquent. */
export function InstallmentLevers({
  contract,
  of,
  arranged,
}: {
  contract: Contract;
  of: PlanInstallment;
  /** The outcomes as they are now. */
  arranged: readonly Outcome[];
}) {
  const { reference, status } = contract;
  const { installment_number: number, due_date } = of;
  if (status !== 'active' || number === null || of.status === 'paid' || of.status === 'delinquent') return null;
  const travel = async (way: { to: string } | { until: string }, outcomes: readonly Outcome[] = []) => {
    const [askHere, tell] = [asker(), teller()];
    const arrange = (of: readonly Outcome[]) =>
      askHere(arrangeOutcomes, { params: { reference }, body: { outcomes: of } });
    const { happened_by_type: byType, now } = await undoableTravel(async () => {
      if (outcomes.length === 0) return askHere(advanceClock, { body: way });
      await arrange(outcomes);
      try {
        return await askHere(advanceClock, { body: way });
      } catch (error) {
        if (changedNothing(error, 'travel')) await arrange(arranged);
        throw error;
      }
    });
    tell(`It is ${dateOf(now)}. ${tallyText(byType)}`);
    refresh();
  };
  const failUntil = (end: 'past_due' | 'delinquent') => () =>
    travel({ until: `${reference}#${number}=${end}` }, failing(contract, of, arranged));
  return (
    <Menu name={`Levers of installment ${number}`}>
      {of.status === 'upcoming' && <Act does={() => travel({ to: `${due_date}T00:00:00Z` })}>Travel to due</Act>}
      {of.status !== 'past_due' && <Act does={failUntil('past_due')}>Fail it and travel to past due</Act>}
      <Act does={failUntil('delinquent')}>
        {of.status === 'past_due' ? 'Travel to delinquent' : 'Fail it and travel to delinquent'}
      </Act>
    </Menu>
  );
}
