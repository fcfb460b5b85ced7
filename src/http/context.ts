import type { ServerSettings } from '../domain/assumptions.ts';
import type { Coverage } from '../engine/coverage.ts';
import type { Engine } from '../engine/engine.ts';
import type { Faults } from '../engine/fault.ts';
import type { Outbox } from '../engine/outbox.ts';
import type { World } from '../engine/world.ts';
import type { Store } from '../store/store.ts';
import type { ThrowAways } from '../throw-away.ts';
import type { Absence } from '../time/absence.ts';
import type { Clocks } from '../time/clocks.ts';
import type { Travel } from '../time/travel.ts';
import type { TraceDocument } from '../trace/file.ts';
import type { Courier } from '../webhook/courier.ts';
import type { Workspace } from '../workspace.ts';
import type { HttpViews } from './answer/views.ts';
import type { RequestLog } from './log/request-log.ts';
import type { SignIn } from './routes/dashboard/sign-in.ts';
import type { Addresses, BaseUrl } from './server/addresses.ts';
import type { Listeners } from './stream/listeners.ts';
import type { Notifier } from './stream/notifier.ts';
import type { RequestLine } from './stream/watch-lines.ts';

/** What the routes may read from the store. Rows of an account come only from `of(account)`. */
export interface Readers {
  readonly of: Store['of'];
  /** Finds the account of an id, for the search of the workspace and the request log. It reads no rows. */
  readonly ownerOf: Store['ownerOf'];
  /**
   * Reads accounts by client id: for the dashboard's choice, the request log, streams that outlive a reset, and lists.
   */
  readonly accounts: Pick<Store['accounts'], 'find' | 'ofMerchant' | 'search'>;
  /** Needs the control token. */
  readonly merchants: Pick<Store['merchants'], 'list'>;
  /** The platform's state, the same for every account. */
  readonly workspace: Pick<Store['workspace'], 'platform' | 'seed'>;
  /** Knows which requests of the log a reset or a restore undid. */
  readonly discarded: Pick<Store['discarded'], 'has'>;
  /** Reads nothing. An answer waits until the rows that it shows are committed. */
  readonly committed: Store['committed'];
}

/** What the routes work with, joined by `simulator.ts`. Rooms appear here only as types. */
export interface HttpContext {
  readonly engine: Engine;
  readonly faults: Faults;
  readonly coverage: Coverage;
  readonly store: Readers;
  readonly clocks: Clocks;
  readonly travel: Travel;
  readonly outbox: Pick<Outbox, 'announce' | 'heard'>;
  readonly notifier: Notifier;
  readonly courier: Pick<Courier, 'drain' | 'wake'>;
  readonly listeners: Listeners;
  /** Knows which listening processes are away. */
  readonly absence: Pick<Absence, 'came' | 'awaits' | 'left'>;
  readonly requestLog: RequestLog;
  /** Signs browsers in to the dashboard. */
  readonly signIn: SignIn;
  readonly workspace: Workspace;
  readonly throwAways: ThrowAways;
  readonly views: HttpViews;
  readonly digest: World['digest'];
  readonly settings: ServerSettings;
  readonly version: string;
  /** Those that the server was started with, without secrets, or those in the trace that is shown. */
  readonly flags: readonly string[];
  /** The trace that is shown; null for a normal server. */
  readonly opened: TraceDocument | null;
  readonly controlToken: string;
  readonly base: Pick<BaseUrl, 'url'>;
  /** They decide which hosts are allowed. */
  readonly addresses: Addresses;
  /** The files that the checkout pages load, by name. */
  readonly checkoutAssets: Readonly<Record<string, { readonly type: string; readonly text: string }>>;
  /** Real time in milliseconds, for traffic (decisions §1). */
  realNow(): number;
  /** Calls `work` once, `ms` of real time from now. The returned function cancels it. */
  after(ms: number, work: () => void): () => void;
  /** Calls `work` once everything that arrived together has been handled. */
  endOfTurn(work: () => void): void;
  /** Reports an internal fault to the person who runs the server; the answer is 500. */
  fault(error: unknown): void;
  observe(line: RequestLine): void;
  /** Shows a sentence to the person who runs the server. */
  note(text: string): void;
}
