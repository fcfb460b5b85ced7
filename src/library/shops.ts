import { given } from '../domain/given.ts';
import type { Account } from '../domain/merchant.ts';
import type { Mode } from '../domain/mode.ts';
import { getWorkspaceCoverage } from '../operations/coverage.ts';
import { OF_TOOL } from '../operations/tool-header.ts';
import * as operations from '../operations/workspace.ts';
import { refuseNonObject } from '../options.ts';
import type { TraceDocument, TraceFailure } from '../trace/file.ts';
import { asker, type Connection, dataOf, type Send } from './client.ts';
import { type ShopLevers, shopLevers } from './shop.ts';
import type { Replacements } from './since.ts';
import type { Waiting } from './wait.ts';
import type { CoverageReport, ListOptions, Platform, Settings } from './wire.ts';

/** One account of a merchant: its credentials and its levers. */
export interface Shop extends ShopLevers {
  readonly clientId: string;
  readonly apiKey: string;
  /** `whsec_…`, for the endpoints of `forwardTo`, fixtures and `layaway listen` that have no secret of their own. */
  readonly webhookSecret: string;
  readonly headers: { readonly 'x-client-id': string; readonly 'x-api-key': string };
  /** The environment variables for a store (interface §2). */
  readonly env: Readonly<Record<Variable, string> & Record<string, string>>;
}

/** Known by name, so that a strict check of indexes does not take one for possibly missing. */
type Variable =
  | 'LAYAWAY_BASE_URL'
  | 'LAYAWAY_CLIENT_ID'
  | 'LAYAWAY_API_KEY'
  | 'LAYAWAY_LIVE_CLIENT_ID'
  | 'LAYAWAY_LIVE_API_KEY'
  | 'LAYAWAY_WEBHOOK_SECRET'
  | 'LAYAWAY_CONTROL_TOKEN';

/** The sandbox account of a merchant; `live` is its other account. */
export type SandboxShop = Shop & { readonly live: Shop };

/** The settings of a new merchant. `clock.frozenAt`, an ISO 8601 instant, freezes the clocks of both accounts. */
export type MerchantOptions = Partial<Settings> & { readonly clock?: { readonly frozenAt: string } };

export interface Credentials {
  readonly account: Pick<Account, 'clientId' | 'webhookSecret'>;
  readonly apiKey: string;
}

/** Both accounts of a merchant, as the library hands them out. */
export function shopsOf(server: {
  url: string;
  controlToken: string;
  send: Send;
  waiting: Waiting;
  /** Absent where nobody resets or restores the workspace. */
  readonly replacementsOf?: (clientId: string) => Replacements;
}) {
  return (sandbox: Credentials, live: Credentials): SandboxShop => {
    const shared = {
      LAYAWAY_BASE_URL: server.url,
      LAYAWAY_LIVE_CLIENT_ID: live.account.clientId,
      LAYAWAY_LIVE_API_KEY: live.apiKey,
      LAYAWAY_WEBHOOK_SECRET: sandbox.account.webhookSecret,
      LAYAWAY_CONTROL_TOKEN: server.controlToken,
    };
    const shop = ({ account: { clientId, webhookSecret }, apiKey }: Credentials): Shop => {
      const headers = { 'x-client-id': clientId, 'x-api-key': apiKey };
      return {
        clientId,
        apiKey,
        webhookSecret,
        headers,
        env: { ...shared, LAYAWAY_CLIENT_ID: clientId, LAYAWAY_API_KEY: apiKey },
        // Coverage counts the requests of the store, not those of a test's levers (interface §9).
        ...shopLevers(
          { send: server.send, headers: { ...headers, ...OF_TOOL } },
          server.waiting,
          server.replacementsOf?.(clientId),
        ),
      };
    };
    return { ...shop(sandbox), live: shop(live) };
  };
}

/** An account in the answer to the creation of its merchant, the only one that contains the key. */
interface NewAccountBody {
  readonly client_id: string;
  readonly webhook_secret: string;
  readonly api_key: string;
}

/** From the answer alone: a reset or a restore may have removed the account since. */
export const issued = ({
  client_id: clientId,
  webhook_secret: webhookSecret,
  api_key: apiKey,
}: NewAccountBody): Credentials => ({ account: { clientId, webhookSecret }, apiKey });

/** The levers that act on every merchant at once. */
export type Workspace = Omit<ReturnType<typeof workspaceLevers>, 'create'>;

/** The levers of the workspace, which also go through the control plane. */
export function workspaceLevers(connection: Connection) {
  const ask = asker(connection);
  return {
    create: (
      { clock, legal_name, dba, state, email, ...settings }: MerchantOptions,
      kind: { readonly throw_away?: true } = {},
    ) =>
      ask(operations.createMerchant, {
        body: {
          ...kind,
          ...given({ legal_name, dba, state, email }),
          ...(clock ? { clock: { frozen_at: clock.frozenAt } } : {}),
          settings,
        },
      }).then(({ data }) => data as typeof data & Readonly<Record<Mode, NewAccountBody>>),
    /** Saves the whole workspace under a name, and restores it. */
    snapshots: {
      save: async (name: string, options: { readonly overwrite?: boolean } = {}) => {
        refuseNonObject(options, 'snapshots.save');
        return ask(operations.saveSnapshot, { body: { name, ...options } }).then(dataOf);
      },
      restore: (name: string) => ask(operations.restoreSnapshot, { params: { name } }).then(dataOf),
      list: (query: ListOptions = {}) => ask(operations.listSnapshots, { query }).then(dataOf),
      delete: async (name: string) => void (await ask(operations.deleteSnapshot, { params: { name } })),
    },
    /** The merchants, newest first, without API keys. */
    listMerchants: (query: ListOptions = {}) => ask(operations.listMerchants, { query }).then(dataOf),
    /** The settings that apply to every merchant. */
    platform: {
      get: () => ask(operations.getPlatform).then(dataOf),
      set: (changes: Partial<Platform>) => ask(operations.updatePlatform, { body: changes }).then(dataOf),
    },
    trace: async (failure: TraceFailure | null = null): Promise<TraceDocument> => {
      const state = await ask(operations.exportTrace).then(dataOf);
      return { trace: 1, ...state, failure };
    },
    /** What the stores of all accounts have met, summed up, and what they do wrong (interface §9). */
    coverage: (): Promise<CoverageReport> => ask(getWorkspaceCoverage).then(dataOf),
    /** Resets the workspace to its initial state. Snapshots are kept. */
    reset: async () => void (await ask(operations.reset)),
  };
}
