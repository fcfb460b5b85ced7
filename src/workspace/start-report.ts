import { formatInstant } from '../domain/calendar.ts';
import type { Account } from '../domain/merchant.ts';
import type { Store } from '../store/store.ts';
import type { Clocks } from '../time/clocks.ts';

/** What a server reports about its state once it has started. */
export const createStartReport = (
  store: Pick<Store, 'accounts' | 'endpoints' | 'deliveries'>,
  clocks: Pick<Clocks, 'get' | 'now'>,
  defaultAccount: () => Account,
) => ({
  /** Where the server itself sends the default account's webhooks. */
  receivers: () =>
    store.endpoints
      .list(defaultAccount().id)
      .filter(({ transport, enabled }) => transport === 'http' && enabled)
      .map(({ url, secret }) => ({ url, secret }))
      .reverse(),

  /** The clock of the default account. */
  clock() {
    const { id } = defaultAccount();
    return { mode: clocks.get(id).mode, now: formatInstant(clocks.now(id)) };
  },

  /** Every endpoint of every account; within an account, the oldest first. */
  endpoints: () =>
    store.accounts.ids().flatMap((accountId) => {
      const { clientId } = store.accounts.get(accountId);
      return store.endpoints
        .list(accountId)
        .map(({ id, url, transport, enabled, secret }) => ({
          clientId,
          url,
          transport,
          enabled,
          owed: store.deliveries.owed(id),
          secret,
        }))
        .reverse();
    }),
});
