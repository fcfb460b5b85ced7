import type { JSX } from 'preact';
import { Page } from '../parts/ui.tsx';
import type { Route } from '../route.ts';
import { ClockView } from './clock.tsx';
import { ContractView } from './contract.tsx';
import { ContractsView } from './contracts.tsx';
import { CoverageView } from './coverage.tsx';
import { EventView } from './event.tsx';
import { EventsView } from './events.tsx';
import { FaultsView } from './faults.tsx';
import { Finder } from './finder.tsx';
import { InboxView } from './inbox.tsx';
import { OverviewView } from './overview.tsx';
import { RequestsView } from './requests.tsx';
import { SessionView } from './session.tsx';
import { SessionsView } from './sessions.tsx';
import { SettingsView } from './settings.tsx';
import { SnapshotsView } from './snapshots.tsx';
import { WebhooksView } from './webhooks.tsx';

export function viewOf({ view, id, query }: Route): JSX.Element {
  switch (view) {
    case '':
      return <OverviewView />;
    case 'clock':
      return <ClockView />;
    case 'contracts':
      return id === null ? <ContractsView query={query} /> : <ContractView key={id} reference={id} />;
    case 'sessions':
      return id === null ? <SessionsView query={query} /> : <SessionView key={id} id={id} />;
    case 'events':
      return id === null ? <EventsView query={query} /> : <EventView key={id} id={id} />;
    case 'webhooks':
      return <WebhooksView query={query} delivery={id} />;
    case 'faults':
      return <FaultsView />;
    case 'coverage':
      return <CoverageView query={query} />;
    case 'inbox':
      return <InboxView id={id} query={query} />;
    case 'requests':
      return <RequestsView id={id} query={query} />;
    case 'settings':
      return <SettingsView />;
    case 'snapshots':
      return <SnapshotsView />;
    case 'go':
      return <Finder id={id ?? ''} />;
    default:
      return (
        <Page title="This page does not exist">
          <p>Choose a view from the menu.</p>
        </Page>
      );
  }
}
