import { useContext } from 'preact/hooks';
import type { Triage } from '../../../../operations/wire.ts';
import { money, NONE, plural } from '../../words.ts';
import { Here } from '../here.ts';
import { Link, Panel } from '../ui.tsx';

/** What needs attention, with links to the views that deal with it. */
export function TriagePanel({ of }: { of: Triage }) {
  const { href } = useContext(Here);
  const { overdue, overdue_amount, delinquent, disabled_endpoints: disabled, failing_deliveries: failing } = of;
  const { given_up_deliveries: givenUp, collected, expected } = of;
  const tiles = [
    [href('contracts', null, { status: 'overdue' }), 'Overdue', overdue, `${money(overdue_amount)} owed`],
    [href('contracts', null, { status: 'delinquent' }), 'Delinquent', delinquent, 'past the grace period'],
    [href('webhooks'), 'Disabled endpoints', disabled, 'they get no events'],
    [
      href('webhooks', null, { status: givenUp > 0 ? 'failed' : 'pending' }),
      'Failing deliveries',
      failing,
      plural(givenUp, 'given up', 'given up'),
    ],
  ] as const;
  const isCalm = tiles.every(([, , n]) => n === 0);
  return (
    <Panel title={isCalm ? 'Nothing needs attention' : 'Needs attention'} testId="triage">
      <ul class="tiles">
        {tiles.map(([to, name, n, note]) => (
          <li key={name}>
            <Link href={to} class={n > 0 ? 'tile bad' : 'tile'}>
              <span class="tile-name">{name}</span> <span class="tile-count">{n.toLocaleString('en-US')}</span>{' '}
              <span class="tile-note">{n > 0 ? note : 'none'}</span>
            </Link>
          </li>
        ))}
        <li>
          <div class={collected !== null && expected !== null && collected < expected ? 'tile warm' : 'tile'}>
            <span class="tile-name">Collected of expected</span>{' '}
            <span class="tile-count">{collected === null ? NONE : money(collected)}</span>{' '}
            <span class="tile-note">
              {expected === null ? 'too many contracts to add up' : `of ${money(expected)} due by now`}
            </span>
          </div>
        </li>
      </ul>
    </Panel>
  );
}
