import type { ComponentChildren } from 'preact';
import { useContext, useEffect, useRef } from 'preact/hooks';
import { type Connection, useConnection } from '../../live.ts';
import { go, hrefOf, type Route } from '../../route.ts';
import { dateOf, isolated, timeOf } from '../../words.ts';
import { Here, nameOf } from '../here.ts';
import { Notices } from '../levers/undo.tsx';
import { shortened } from '../link-to.tsx';
import { TravellingAnywhere } from '../time/travelling.tsx';
import { Link } from '../ui.tsx';
import { useKeptFocus } from './kept-focus.ts';
import { isLeading } from './lead.ts';
import { Foot, Shortcuts } from './shortcuts.tsx';
import { VIEWS } from './views.ts';

export function Shell({ route, children }: { route: Route; children: ComponentChildren }) {
  const { account, href, trace } = useContext(Here);
  const { mode } = account;
  const label = VIEWS.find(([view]) => view === route.view)?.[1] ?? 'Dashboard';
  const menu = useRef<HTMLUListElement>(null);
  useEffect(() => {
    // On a phone, the menu scrolls sideways.
    const [list, current] = [menu.current, menu.current?.querySelector<HTMLElement>('[aria-current]')];
    if (list && current) list.scrollLeft = current.offsetLeft - (list.clientWidth - current.clientWidth) / 2;
  }, [route.view]);
  useTitle(`${route.id ?? label} · ${isolated(account.merchant.name)} (${mode}${trace ? ', trace' : ''})`);
  useArrival(`${route.view}/${route.id}`);
  useKeptFocus();
  return (
    <div class={`shell ${mode}`}>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header>
        <Link href={href()} class="brand">
          <span aria-hidden="true" class="mark" />
          Layaway
        </Link>
        <Chooser route={route} />
        <strong class="mode" data-testid="mode">
          {mode === 'sandbox' ? 'Sandbox' : 'Live'}
          <span class="mode-note">{trace ? 'trace, nothing is sent' : NOTES[mode]}</span>
        </strong>
        <Shortcuts />
        <ClockFace />
      </header>
      <Connectedness />
      <nav aria-label="Views">
        <ul ref={menu}>
          {VIEWS.map(([view, name]) => (
            <li key={view}>
              <Link href={href(view)} aria-current={route.view === view ? 'page' : undefined}>
                {name}
              </Link>
            </li>
          ))}
        </ul>
        <Foot />
      </nav>
      <main id="main" tabIndex={-1}>
        <OpenedTrace />
        {children}
      </main>
      <footer>
        <Foot />
      </footer>
      <div class="afloat">
        <Notices />
        {route.view !== 'clock' && <TravellingAnywhere />}
      </div>
    </div>
  );
}

/** The failure in the open trace, above everything else. */
function OpenedTrace() {
  const { trace } = useContext(Here);
  if (!trace) return null;
  const code = trace.exit_code === null ? '' : `, exit code ${trace.exit_code}`;
  return (
    <section class="failure" aria-label="Trace" data-testid="trace">
      <p>
        <strong>{trace.what === null ? 'A trace' : `Failed: ${trace.what}${code}`}</strong>. Saved{' '}
        {timeOf(trace.saved_at)} on {dateOf(trace.saved_at)}. Nothing is sent anywhere.
      </p>
      {trace.messages.map((message) => (
        <p key={message}>{message}</p>
      ))}
    </section>
  );
}

const NOTES = { sandbox: 'test data', live: 'simulated, nothing is charged' } as const;

function useTitle(title: string) {
  useEffect(() => {
    document.title = title;
  }, [title]);
}

/** How long a heading that loads late still takes the focus. */
const ARRIVAL_MS = 5_000;

/** Moves the focus to the heading of what was newly opened, as a page load would, unless the user moved it elsewhere. */
function useArrival(place: string) {
  const was = useRef(place);
  useEffect(() => {
    if (was.current === place) return;
    was.current = place;
    const { activeElement: before, body } = document;
    if (before instanceof HTMLInputElement) return;
    const until = performance.now() + ARRIVAL_MS;
    let frame = 0;
    const look = () => {
      const { activeElement: now } = document;
      if (isLeading() || (now !== before && now !== body) || performance.now() > until) return;
      const heading = document.querySelector<HTMLElement>('main .arrival');
      if (!heading) frame = requestAnimationFrame(look);
      else {
        heading.focus({ preventScroll: true });
        // On a phone, an email is below the list. Going back keeps the place instead.
        if (scrollY === 0 && heading.getBoundingClientRect().bottom > innerHeight / 2) heading.scrollIntoView();
      }
    };
    look();
    return () => cancelAnimationFrame(frame);
  }, [place]);
}

/** Query parameters that mean the same in every account. */
const EVERYWHERE = ['status', 'search', 'path', 'event_type', 'show'];

function Chooser({ route: { view, query } }: { route: Route }) {
  const { account, accounts } = useContext(Here);
  const kept = Object.fromEntries(EVERYWHERE.map((name) => [name, query.get(name) ?? '']));
  const names = new Map<string, number>();
  for (const each of accounts) names.set(nameOf(each), (names.get(nameOf(each)) ?? 0) + 1);
  return (
    <select
      aria-label="Account"
      class="chooser"
      value={account.client_id}
      onChange={(event) => go(hrefOf(event.currentTarget.value, view === 'go' ? '' : view, null, kept))}
    >
      {accounts.map((each) => (
        <option key={each.client_id} value={each.client_id}>
          {nameOf(each, (names.get(nameOf(each)) as number) > 1 ? shortened(each.client_id) : undefined)}
        </option>
      ))}
    </select>
  );
}

function ClockFace() {
  const { clock, now, href } = useContext(Here);
  return (
    <Link href={href('clock')} class="clock-face" title="The account’s clock, UTC">
      <span class={`dot ${clock.mode}`} aria-hidden="true" />
      <span data-testid="now">
        {dateOf(now)}, {timeOf(now)}
      </span>
      <span class="clock-mode">{clock.mode}</span>
    </Link>
  );
}

const WORDS: Partial<Record<Connection, string>> = {
  lost: 'The connection to the simulator is lost. This page may be out of date. Reconnecting…',
  gone: 'This account no longer exists.',
};

function Connectedness() {
  const connection = useConnection();
  const word = WORDS[connection];
  return (
    <div role="status" class="connection" data-testid="connection" data-state={connection}>
      {word && <p>{word}</p>}
    </div>
  );
}
