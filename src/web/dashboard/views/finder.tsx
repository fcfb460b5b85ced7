import { useEffect, useState } from 'preact/hooks';
import { findId } from '../../../operations/browse.ts';
import type { Found } from '../../../operations/wire.ts';
import { AskError, ask } from '../ask.ts';
import { go, hrefOf } from '../route.ts';
import { Alone, Outside } from './alone.tsx';

/** `/dashboard/go/<id>` finds the account and the page of any id. */
export function Finder({ id }: { id: string }) {
  const [error, setError] = useState<AskError | null>(null);
  useEffect(() => {
    ask(findId, { params: { id } }).then(
      (found) => go(addressOf(found, id), { replace: true }),
      (thrown) => setError(thrown instanceof AskError ? thrown : new AskError(0, String(thrown))),
    );
  }, [id]);
  if (error?.status === 401) return <Outside />;
  if (!error) {
    return (
      <p class="loading" aria-busy="true">
        Looking…
      </p>
    );
  }
  return (
    <Alone title={error.status === 404 ? 'This id was not found' : 'The id could not be looked up'}>
      <p>
        <code>{id}</code>
      </p>
      <p>
        {error.status === 404
          ? 'It does not exist in any account of this simulator. It may be from before a reset.'
          : error.message}
      </p>
      <p>
        <a href="/dashboard">Go to the overview</a>
      </p>
    </Alone>
  );
}

function addressOf({ client_id, kind, session, contract }: Found, id: string): string {
  if (kind === 'event') return hrefOf(client_id, 'events', id);
  if (kind === 'delivery') return hrefOf(client_id, 'webhooks', id);
  if (kind === 'email') return hrefOf(client_id, 'inbox', id);
  if (kind === 'request') return hrefOf(client_id, 'requests', id);
  if (kind === 'endpoint') return hrefOf(client_id, 'webhooks', null, { endpoint_id: id });
  if (kind === 'account') return hrefOf(client_id);
  if (kind === 'session') return hrefOf(client_id, 'sessions', session);
  return hrefOf(client_id, 'contracts', contract);
}
