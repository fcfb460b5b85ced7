import type { Account } from '../domain/merchant.ts';
import type { Endpoint } from '../domain/webhook.ts';
import type { Verbs } from '../engine/engine.ts';
import type { Listeners } from '../http/stream/listeners.ts';
import type { Store } from '../store/store.ts';

/**
 * Notes who listens; what is returned gives each its endpoint in the new state, so that a `layaway listen` in another
 * terminal hears what happens after a reset or a restore. That is the one with its secret, otherwise one for its URL that
 * nobody else has.
 */
export function noteListeners(
  store: Pick<Store, 'accounts' | 'endpoints'>,
  engine: Verbs,
  listeners: Pick<Listeners, 'isConnected' | 'rehome'>,
) {
  const heard = new Map<number, { readonly account: Account; readonly endpoint: Endpoint }>();
  for (const account of store.accounts.ids().map(store.accounts.get)) {
    for (const endpoint of store.endpoints.list(account.id)) {
      if (listeners.isConnected(endpoint.id)) heard.set(endpoint.id, { account, endpoint });
    }
  }
  return () => {
    const secrets = new Set([...heard.values()].map(({ endpoint }) => endpoint.secret));
    const taken = new Set<number>();
    listeners.rehome((endpointId) => {
      const before = heard.get(endpointId);
      const account = before && store.accounts.find(before.account.clientId);
      if (!account) return null;
      const { url, events, secret } = before.endpoint;
      const newest = engine.findListener(account, url);
      const isFree = newest !== undefined && !taken.has(newest.id) && !secrets.has(newest.secret);
      const home =
        engine.findListener(account, url, secret) ??
        (isFree ? newest : undefined) ??
        engine.createEndpoint(account, { url, events, transport: 'listener', secret });
      taken.add(home.id);
      return home.id;
    });
  };
}
