import type { ServerSettings } from '../domain/assumptions.ts';
import type { Engine } from '../engine/engine.ts';
import type { Faults } from '../engine/fault.ts';
import type { Outbox } from '../engine/outbox.ts';
import type { Store } from '../store/store.ts';
import type { Absence } from '../time/absence.ts';
import type { Clocks } from '../time/clocks.ts';
import type { Travel } from '../time/travel.ts';
import type { Courier } from '../webhook/courier.ts';
import type { Workspace } from '../workspace.ts';
import type { HostRule } from './access/guard.ts';
import type { HttpViews } from './answer/views.ts';
import type { RequestLog } from './request-log.ts';
import type { Door } from './routes/dashboard/door.ts';
import type { Base } from './server/addresses.ts';
import type { Listeners } from './stream/listeners.ts';
import type { News } from './stream/news.ts';
import type { RequestLine } from './stream/watch-lines.ts';

/** What the routes read of the store. The rows of an account come from `of(account)` only. */
export interface Readers {
  readonly of: Store['of'];
  /** For an id without an account: the workspace's search, and the request log. It tells the account and no row. */
  readonly ownerOf: Store['ownerOf'];
  /** By client id: the dashboard's choice of an account, the request log, streams that outlive a reset, lists of all. */
  readonly accounts: Pick<Store['accounts'], 'find' | 'ofMerchant'>;
  /** Behind the control token. */
  readonly merchants: Pick<Store['merchants'], 'list'>;
  /** The platform has one state for every account. */
  readonly workspace: Pick<Store['workspace'], 'platform'>;
  /** Reads nothing: an answer waits until what it tells is written. */
  readonly committed: Store['committed'];
}

/** What the routes work with, joined by `simulator.ts`. Rooms meet here as types only. */
export interface HttpContext {
  readonly engine: Engine;
  readonly faults: Faults;
  readonly store: Readers;
  readonly clocks: Clocks;
  readonly travel: Travel;
  readonly outbox: Pick<Outbox, 'announce'>;
  readonly news: News;
  readonly courier: Pick<Courier, 'drain' | 'wake'>;
  readonly listeners: Listeners;
  /** Which listening processes are away. */
  readonly absence: Pick<Absence, 'came' | 'awaits'>;
  readonly requestLog: RequestLog;
  /** How a browser comes to the dashboard. */
  readonly door: Door;
  readonly workspace: Workspace;
  readonly views: HttpViews;
  readonly digest: { sha256(data: string): Uint8Array; same(a: Uint8Array, b: Uint8Array): boolean };
  readonly settings: ServerSettings;
  readonly version: string;
  readonly controlToken: string;
  readonly base: Pick<Base, 'url'>;
  readonly allowsHost: HostRule;
  /** What the checkout pages load, by file name. */
  readonly checkoutAssets: Readonly<Record<string, { readonly type: string; readonly text: string }>>;
  /** Real time in milliseconds, for traffic (decisions §1). */
  realNow(): number;
  /** Calls `work` once, `ms` of real time from now; the returned function calls it off. */
  after(ms: number, work: () => void): () => void;
  /** Calls `work` once everything that arrived together was handled. */
  endOfTurn(work: () => void): void;
  /** An internal fault: answered with 500, shown to whoever runs the server. */
  fault(error: unknown): void;
  observe(line: RequestLine): void;
  /** A sentence for whoever runs the server. */
  note(text: string): void;
}
