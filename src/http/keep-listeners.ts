import type { HttpContext } from './context.ts';

/**
 * Remembers who listens before the workspace is replaced; what is returned gives each its endpoint in the new one, so
 * that a `layaway listen` in another terminal hears what happens after a reset or a restore.
 */
export function keepListeners({ store, engine, listeners }: Pick<HttpContext, 'store' | 'engine' | 'listeners'>) {
  const heard = store.accounts.ids().flatMap((accountId) => {
    const { clientId } = store.accounts.get(accountId);
    const endpoints = store.endpoints.list(accountId).filter(({ id }) => listeners.isConnected(id));
    return endpoints.map((endpoint) => ({ clientId, endpoint }));
  });

  return () =>
    listeners.rehome((endpointId) => {
      const was = heard.find(({ endpoint }) => endpoint.id === endpointId);
      const account = was && store.accounts.find(was.clientId);
      if (!account) return null;
      const { url, events, secret } = was.endpoint;
      const same = listenerAt(store, account.id, url);
      return (same ?? engine.createEndpoint(account, { url, events, transport: 'listener', secret })).id;
    });
}

/** The endpoint by which a listening process forwards to `url`. */
export const listenerAt = (store: HttpContext['store'], accountId: number, url: string) =>
  store.endpoints.list(accountId).find((endpoint) => endpoint.transport === 'listener' && endpoint.url === url);
