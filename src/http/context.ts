import type { ServerSettings } from '../domain/assumptions.ts';
import type { Clock } from '../domain/merchant.ts';
import type { Engine } from '../engine/engine.ts';
import type { Snapshot } from '../store/snapshots.ts';
import type { Store } from '../store/store.ts';
import type { Clocks } from '../time/clocks.ts';
import type { Travel } from '../time/travel.ts';
import type { Courier } from '../webhook/courier.ts';
import type { HostRule } from './guard.ts';
import type { Listeners } from './listeners.ts';
import type { News } from './news.ts';
import type { RequestLog } from './request-log.ts';
import type { Door } from './routes/dashboard/door.ts';
import type { HttpViews } from './views.ts';
import type { RequestLine } from './watching.ts';

/** What acts on everything at once. */
export interface WorkspaceLevers {
  readonly snapshots: {
    list(): Snapshot[];
    save(name: string, overwrite: boolean): Promise<Snapshot>;
    restore(name: string): Promise<Snapshot>;
    remove(name: string): void;
  };
  /** Back to what the server started with; snapshots stay. */
  reset(): Promise<void>;
}

/** What the routes work with, joined by `simulator.ts`. Rooms meet here as types only. */
export interface HttpContext {
  readonly engine: Engine;
  readonly store: Store;
  readonly clocks: Clocks;
  readonly travel: Travel;
  /** What falls due next on an account's clock: a change of state, or a webhook's next attempt. */
  announce(accountId: number): { readonly at: number; readonly type: string; readonly subject: string } | null;
  readonly news: News;
  readonly courier: Courier;
  readonly listeners: Listeners;
  readonly requestLog: RequestLog;
  /** How a browser comes to the dashboard. */
  readonly door: Door;
  readonly workspace: WorkspaceLevers;
  readonly views: HttpViews;
  readonly digest: { sha256(data: string): Uint8Array; same(a: Uint8Array, b: Uint8Array): boolean };
  readonly settings: ServerSettings;
  readonly version: string;
  readonly controlToken: string;
  /** The clock that new merchants start with. */
  newClock(): Clock;
  /** Known once the server listens. */
  readonly base: { url: string };
  readonly allowsHost: HostRule;
  /** What the checkout pages load, by file name. */
  readonly checkoutAssets: Readonly<Record<string, { readonly type: string; readonly text: string }>>;
  /** Real time in milliseconds, for traffic (decisions §1). */
  realNow(): number;
  /** Calls `work` once, `ms` of real time from now; the returned function calls it off. */
  after(ms: number, work: () => void): () => void;
  /** An internal fault: answered with 500, shown to whoever runs the server. */
  fault(error: unknown): void;
  observe(line: RequestLine): void;
}
