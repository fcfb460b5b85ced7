import type { Figure } from '../figure.ts';
import { idleContracts, oneYear } from './advance.ts';
import { checkoutPage } from './checkout-page.ts';
import { contractList } from './contract-list.ts';
import { contractRead } from './contract-read.ts';
import { contractTable } from './contract-table.ts';
import { deliveries, failingDeliveries } from './deliveries.ts';
import { endpointLatency } from './endpoint-latency.ts';
import { forecast } from './forecast.ts';
import { help } from './help.ts';
import { library } from './library.ts';
import { memory } from './memory.ts';
import { openDashboardFigure } from './open-dashboard.ts';
import { peers } from './peers.ts';
import { plans } from './plans.ts';
import { scale } from './scale.ts';
import { scenarios } from './scenarios.ts';
import { sessionCreate } from './session-create.ts';
import { snapshot } from './snapshot.ts';
import { start } from './start.ts';

/** Everything that is measured, in the order of the tables. */
export const FIGURES: Readonly<Record<string, Figure>> = {
  'session-create': sessionCreate,
  'contract-read': contractRead,
  start,
  help,
  'contract-list': contractList,
  memory,
  plans,
  'idle-contracts': idleContracts,
  'one-year': oneYear,
  forecast,
  snapshot,
  library,
  scenarios,
  deliveries,
  'endpoint-latency': endpointLatency,
  'failing-deliveries': failingDeliveries,
  'checkout-page': checkoutPage,
  'contract-table': contractTable,
  'open-dashboard': openDashboardFigure,
  scale,
};

/** Measured only on request, because it downloads the peers. */
export const PEERS: Readonly<Record<string, Figure>> = { peers };
