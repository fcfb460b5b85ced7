import type { IncomingMessage, ServerResponse } from 'node:http';
import { WEBHOOK_TIMEOUT_MS } from './domain/assumptions.ts';
import { MINUTE } from './domain/calendar.ts';
import { given } from './domain/given.ts';
import { Refusal } from './domain/refusal.ts';
import type { AttemptOutcome } from './domain/webhook.ts';
import type { MerchantCreate, MerchantRecord, ReceiverRequest } from './operations/wire.ts';
import { createMerchant } from './operations/workspace.ts';
import type { Simulator, SimulatorOptions } from './simulator-types.ts';
import type { Store } from './store/store.ts';
import type { RealTime } from './time/real.ts';
import type { Deliver } from './webhook/deliver.ts';

/** A workspace beside the one of the server: in memory, under the same address. */
export interface ThrowAwayWorkspace {
  readonly merchant: MerchantRecord;
  answer(request: IncomingMessage, response: ServerResponse): void;
  /** Whether something of it has that id. */
  knows(id: string): boolean;
  close(): Promise<void>;
}

type Start = (options: SimulatorOptions, reach: Reach) => Promise<Simulator>;
type Reach = (app: App) => Promise<{ readonly url: string; readonly notes: readonly string[] }>;
interface App {
  ready(): PromiseLike<unknown>;
  routing(request: IncomingMessage, response: ServerResponse): void;
  knows(id: string): boolean;
}

/** Begins a workspace beside that of the server at `url`, which hands requests on: it listens nowhere itself. */
export async function openThrowAwayWorkspace(
  start: Start,
  options: SimulatorOptions,
  { url, body: payload }: { readonly url: string; readonly body: MerchantCreate },
): Promise<ThrowAwayWorkspace> {
  const { clock, host, allowHosts, allowHttpLocalhost, requestTimeoutSeconds, onFault, time } = options;
  const wanted = given({ clock, host, allowHosts, allowHttpLocalhost, requestTimeoutSeconds, onFault, time });
  let inside: Pick<ThrowAwayWorkspace, 'answer' | 'knows'> | undefined;
  const handle = await start({ ...wanted, publicUrl: url, rateLimit: 'off' }, async (app) => {
    await app.ready();
    inside = { answer: (request, response) => app.routing(request, response), knows: (id) => app.knows(id) };
    return { url, notes: [] };
  });
  const headers = { authorization: `Bearer ${handle.controlToken}` };
  const created = await handle.inject({ method: 'POST', url: createMerchant.path, headers, payload });
  const { data: merchant } = created.json<{ data: MerchantRecord }>();
  return { merchant, ...(inside as Pick<ThrowAwayWorkspace, 'answer' | 'knows'>), close: handle.close };
}

export interface ThrowAwayRooms {
  readonly time: RealTime;
  open(body: MerchantCreate): Promise<ThrowAwayWorkspace>;
  openPost(): Deliver;
  /** Those of the server's own workspace. */
  readonly merchants: Pick<Store['merchants'], 'list'>;
  fault(error: unknown): void;
}

/** Whoever made a merchant may have been killed. */
const IDLE_MS = 10 * MINUTE;

interface Kept {
  readonly clientIds: readonly string[];
  readonly workspace: ThrowAwayWorkspace;
  readonly post: Deliver;
  /** Requests that are being answered, streams among them. */
  readonly open: Set<ServerResponse>;
  usedAt: number;
  unwatch(): void;
}

export type ThrowAways = ReturnType<typeof createThrowAways>;

/**
 * Merchants for a while (interface §10). Each has a workspace of its own: no row of it is ever in the workspace of the
 * server, so no list, clock, sum, file or drawn id can differ when it is gone.
 */
export function createThrowAways({ time, open, openPost, merchants, fault }: ThrowAwayRooms) {
  const kept = new Map<string, Kept>();
  const byClientId = new Map<string, Kept>();
  let isClosed = false;

  /** @throws Refusal for an unknown merchant, and for one that is to stay */
  function get(merchant: string): Kept {
    const found = kept.get(merchant);
    if (found) return used(found);
    if (!merchants.list().some(({ token }) => token === merchant)) throw new Refusal('not_found', 'Merchant');
    throw new Refusal(
      'conflict',
      'This merchant is not a throw-away merchant. Only a merchant that was created with `throw_away` can be deleted or send requests.',
    );
  }

  function used(one: Kept): Kept {
    one.usedAt = time.now();
    return one;
  }

  function watch(merchant: string, one: Kept) {
    one.unwatch = time.after(one.usedAt + IDLE_MS - time.now(), () => {
      // A stream or an advance can take longer.
      if (one.open.size > 0) used(one);
      if (time.now() - one.usedAt < IDLE_MS) watch(merchant, one);
      else remove(merchant, one).catch(fault);
    });
  }

  async function remove(merchant: string, { clientIds, workspace, post, open, unwatch }: Kept) {
    kept.delete(merchant);
    for (const clientId of clientIds) byClientId.delete(clientId);
    unwatch();
    post.close();
    // Streams end now. The closing workspace still answers its advances.
    for (const response of open) if (response.headersSent) response.destroy();
    await workspace.close();
    for (const response of open) response.destroy();
  }

  return {
    async create(body: MerchantCreate): Promise<MerchantRecord> {
      const workspace = await open(body);
      const { merchant } = workspace;
      if (isClosed) {
        await workspace.close();
        throw new Refusal('conflict', 'The server is stopping.');
      }
      const clientIds = [merchant.sandbox.client_id, merchant.live.client_id];
      const one: Kept = {
        ...{ clientIds, workspace, post: openPost(), open: new Set(), usedAt: time.now() },
        unwatch: () => undefined,
      };
      kept.set(merchant.id, one);
      for (const clientId of clientIds) byClientId.set(clientId, one);
      watch(merchant.id, one);
      return merchant;
    },

    /** Answers a request of a throw-away merchant; false leaves any other one to the server. */
    answers(clientId: unknown, request: IncomingMessage, response: ServerResponse): boolean {
      const one = byClientId.size > 0 && typeof clientId === 'string' ? byClientId.get(clientId) : undefined;
      if (!one) return false;
      used(one).open.add(response);
      response.once('close', () => one.open.delete(response));
      one.workspace.answer(request, response);
      return true;
    },

    /** Whether something of a throw-away merchant has that id. */
    know: (id: string): boolean => [...kept.values()].some(({ workspace }) => workspace.knows(id)),

    delete: (merchant: string): Promise<void> => remove(merchant, get(merchant)),

    send(
      merchant: string,
      { url, method = 'POST', headers = {}, body = '', insecure = false }: ReceiverRequest,
    ): Promise<AttemptOutcome> {
      return get(merchant).post.deliver({ url, method, headers, body, insecure, timeoutMs: WEBHOOK_TIMEOUT_MS });
    },

    async close() {
      isClosed = true;
      await Promise.all([...kept].map(([merchant, one]) => remove(merchant, one)));
    },
  };
}
