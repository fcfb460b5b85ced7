import { useContext, useEffect } from 'preact/hooks';
import { CONTRACT_STATUSES } from '../../../domain/contract.ts';
import { SESSION_STATUSES } from '../../../domain/session.ts';
import { DELIVERY_STATUSES } from '../../../domain/webhook.ts';
import { browseAhead, browseCounts, browseEvents, browseTriage } from '../../../operations/browse.ts';
import { onceWith, useRead } from '../live.ts';
import { Here } from '../parts/here.ts';
import { TestPlan } from '../parts/levers/test-plan.tsx';
import { Id } from '../parts/link-to.tsx';
import { NewRows, useHeld } from '../parts/lists/held.tsx';
import { Table } from '../parts/lists/table.tsx';
import { TriagePanel } from '../parts/resources/triage.tsx';
import { Shown } from '../parts/shown.tsx';
import { Happenings, lineOf } from '../parts/time/happenings.tsx';
import { useTicks } from '../parts/time/ticks.ts';
import { Badge, Empty, Link, Moment, Page, Panel, toneOf } from '../parts/ui.tsx';
import { hrefOf } from '../route.ts';
import { dateOf, fromNow, isoOf, plural, spaced, timeOf } from '../words.ts';

const RECENT = 25;
const NEXT = 5;

const FIRST_STEPS = `layaway contracts create --order-reference A-1001 --total-amount 20000
layaway clock advance 14d`;

export function OverviewView() {
  const { account, href } = useContext(Here);
  const counts = useRead(browseCounts);
  const events = useRead(browseEvents);
  const { data: newest, isFresh, epoch } = events;
  const recent = useHeld({ data: newest?.slice(0, RECENT), isFresh, epoch }, ({ id }) => id);
  const triage = useRead(browseTriage);
  const ahead = useRead(browseAhead);
  return (
    <Page title={<bdi>{account.merchant.name}</bdi>} lead={`${spaced(account.mode)} account ${account.client_id}`}>
      <Shown of={onceWith(counts, events, triage, ahead)}>
        {({ sessions, contracts, deliveries }) => (
          <>
            {triage.data && <TriagePanel of={triage.data} />}
            <div class="columns uneven">
              <ClockPanel />
              <Panel title="In this account">
                <CountRow name="Sessions" view="sessions" statuses={SESSION_STATUSES} counts={sessions} />
                <CountRow name="Contracts" view="contracts" statuses={CONTRACT_STATUSES} counts={contracts} />
                <CountRow name="Deliveries" view="webhooks" statuses={DELIVERY_STATUSES} counts={deliveries} />
              </Panel>
            </div>
            {ahead.data && ahead.data.happened.length > 0 && (
              <Panel title="Due next" aside={<Link href={href('clock')}>All upcoming events</Link>} flush>
                <Happenings label="Due next" of={ahead.data.happened.slice(0, NEXT).map(lineOf)} />
              </Panel>
            )}
            <Panel title="Recent events" aside={<Link href={href('events')}>All events</Link>} flush>
              {events.data?.length === 0 ? (
                <>
                  <div class="first-run">
                    <p>Nothing has happened in this account yet. Start with a plan that is paid for and active:</p>
                    <TestPlan />
                  </div>
                  <Empty run={FIRST_STEPS}>Or create one from a terminal, and let two weeks pass:</Empty>
                </>
              ) : (
                <>
                  <NewRows of={recent} one="event" />
                  <Happenings label="Recent events" of={recent.rows ?? []} />
                </>
              )}
            </Panel>
            <AccountsPanel />
          </>
        )}
      </Shown>
    </Page>
  );
}

function ClockPanel() {
  const { clock, now, href } = useContext(Here);
  return (
    <Panel title="Clock" aside={<Link href={href('clock')}>Move time</Link>}>
      <p class="big-clock">
        <span>{dateOf(now)}</span> <span class="big-time">{timeOf(now)}</span> <Badge of={clock.mode} />
      </p>
      {clock.next_due ? (
        <p>
          Next: {spaced(clock.next_due.type)} of <Id of={clock.next_due.subject} short />{' '}
          {fromNow(clock.next_due.at, now)}, on <Moment at={clock.next_due.at} />.
        </p>
      ) : (
        <p>Nothing is due.</p>
      )}
    </Panel>
  );
}

function CountRow({
  name,
  view,
  statuses,
  counts,
}: {
  name: string;
  view: string;
  statuses: readonly string[];
  counts: Readonly<Record<string, number>>;
}) {
  const { href } = useContext(Here);
  return (
    <div class="counts">
      <h3>{name}</h3>
      <ul>
        {statuses.map((status) => (
          <li key={status}>
            <Link href={href(view, null, { status })} class={counts[status] ? toneOf(status) : 'none'}>
              <span class="count">{(counts[status] ?? 0).toLocaleString('en-US')}</span> {spaced(status)}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Test suites create many merchants, so the page lists only some. */
const SHOWN_ACCOUNTS = 20;

/** The change stream is about the shown account only, so the list also asks for the others. */
const OTHERS_MS = 5_000;

function AccountsPanel() {
  const { accounts, merchants, readAt, readAgain } = useContext(Here);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || readAgain(), OTHERS_MS);
    return () => clearInterval(timer);
  }, [readAgain]);
  const shown = accounts.slice(0, SHOWN_ACCOUNTS);
  const elapsed = useTicks(
    shown.some(({ clock }) => clock.mode === 'running'),
    readAt,
  );
  return (
    <Panel title="Accounts" flush>
      <Table label="Accounts" heads={['Merchant', 'Mode', 'Clock', ['Active contracts', 'figure'], 'Client id']}>
        {shown.map(({ client_id, mode, merchant, clock, contracts }) => (
          <tr key={client_id}>
            <td>
              <Link href={hrefOf(client_id)}>
                <bdi>{merchant.name}</bdi>
              </Link>
            </td>
            <td>
              <span class={`badge mode-${mode}`}>{mode}</span>
            </td>
            <td>
              <Moment at={clock.mode === 'running' ? isoOf(Date.parse(clock.now) + elapsed) : clock.now} /> {clock.mode}
            </td>
            <td class="figure" data-head="active contracts">
              {(contracts.active ?? 0).toLocaleString('en-US')}
            </td>
            <td>
              <code>{client_id}</code>
            </td>
          </tr>
        ))}
      </Table>
      {2 * merchants > SHOWN_ACCOUNTS && (
        <p class="more">
          {plural(2 * merchants - SHOWN_ACCOUNTS, 'more account')}:{' '}
          {accounts.length < 2 * merchants
            ? 'the newest in the list at the top of the page, all with Search'
            : 'in the list at the top of the page, or with Search'}
          , by name or client id.
        </p>
      )}
    </Panel>
  );
}
