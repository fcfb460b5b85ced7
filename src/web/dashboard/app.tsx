import { Fragment } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { browseAccounts } from '../../operations/browse.ts';
import type { Answer } from '../../operations/operation.ts';
import type { AccountLine } from '../../operations/wire.ts';
import { askFor, signedOut } from './ask.ts';
import { connect, connectToNothing, type Read, useReadWhole } from './live.ts';
import { Shell } from './parts/frame/shell.tsx';
import { Here, type Place } from './parts/here.ts';
import { nameDefaults } from './parts/levers/snippets.ts';
import { Notices } from './parts/levers/undo.tsx';
import { Failure, Waiting } from './parts/shown.tsx';
import { keep, recall } from './parts/stored.ts';
import { useTicks } from './parts/time/ticks.ts';
import { go, hrefOf, type Route, useRoute } from './route.ts';
import { viewOf } from './views/index.tsx';
import { MessagePage, SignedOut } from './views/message-page.tsx';

const CHOSEN = 'layaway-account';

export function App() {
  const route = useRoute();
  // Set before anything below reads, so that every request is for this account.
  askFor(route.account);
  if (signedOut.use()) return <SignedOut />;
  return <Inside route={route} />;
}

function Inside({ route }: { route: Route }) {
  const read = useAccounts(route.account);
  const account = read.data?.data.find(({ client_id }) => client_id === route.account);
  const known = account !== undefined;
  const isAnywhere = route.account === '';

  useEffect(() => {
    if (!isAnywhere || !read.data) return;
    const first = preferred(read.data.data);
    if (!first) return;
    const { view, id, query } = route;
    go(hrefOf(first.client_id, view, id, Object.fromEntries(query)), { replace: true });
  }, [isAnywhere, route, read.data]);

  // Must run before the effects that read, because they wait for the gate that this opens.
  useLayoutEffect(() => (isAnywhere ? connectToNothing() : connect()), [isAnywhere, route.account]);
  useEffect(() => {
    if (known) keep(CHOSEN, route.account);
  }, [known, route.account]);

  const elapsed = useTicks(account?.clock.mode === 'running', read.at);
  const place = useMemo<Place | null>(() => {
    if (!account || !read.data) return null;
    // Accounts are listed newest first.
    const first = read.data.data.at(-1)?.merchant.id;
    const ofFirst = read.data.data.filter(({ merchant }) => merchant.id === first);
    nameDefaults(ofFirst.toSorted((a, b) => b.mode.localeCompare(a.mode)).map(({ client_id }) => client_id));
    return {
      account,
      accounts: read.data.data,
      clock: account.clock,
      now: Date.parse(account.clock.now) + elapsed,
      readAt: read.at,
      readAgain: read.reload,
      merchants: read.data.meta.merchants,
      version: read.data.meta.version,
      logsRequests: read.data.meta.logs_requests,
      trace: read.data.meta.trace,
      href: (view, id, query) => hrefOf(account.client_id, view, id, query),
    };
  }, [account, read.data, read.at, read.reload, elapsed]);

  if (place) {
    return (
      <Here.Provider value={place}>
        <Shell route={route}>
          {/* Another account gets its own view, because what this one was told is not about the other. */}
          <Fragment key={route.account}>{viewOf(route)}</Fragment>
        </Shell>
      </Here.Provider>
    );
  }
  if (read.data && !isAnywhere) return <Gone first={preferred(read.data.data)} />;
  if (read.error && read.error.status !== 401) {
    return (
      <MessagePage title="The dashboard could not be loaded">
        <Failure error={read.error} retry={read.reload} />
      </MessagePage>
    );
  }
  return <Waiting>Loading…</Waiting>;
}

/**
 * The accounts. Those read for another account stay until they are read for this one, so that the page, its focus and
 * its menu stay too.
 */
function useAccounts(shown: string): Read<Answer<typeof browseAccounts>> {
  const read = useReadWhole(browseAccounts);
  const kept = useRef(read);
  const isKept = kept.current.data?.data.some(({ client_id }) => client_id === shown);
  if (read.data || !isKept) kept.current = read;
  return kept.current;
}

/** The account shown last, otherwise the first merchant's sandbox. */
function preferred(accounts: readonly AccountLine[]): AccountLine | undefined {
  const last = recall(CHOSEN);
  return accounts.find(({ client_id }) => client_id === last) ?? accounts.findLast(({ mode }) => mode === 'sandbox');
}

function Gone({ first }: { first: AccountLine | undefined }) {
  return (
    <MessagePage title="This account does not exist">
      <p>It may have been removed by a reset or by restoring a snapshot.</p>
      <p>
        <a href={hrefOf(first?.client_id ?? '')}>Go to the default account</a>
      </p>
      <Notices />
    </MessagePage>
  );
}
