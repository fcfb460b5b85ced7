import { useEffect, useState } from 'preact/hooks';
import { findId } from '../../../operations/browse.ts';
import { AskError, ask } from '../ask.ts';
import { isOut } from '../live.ts';
import { addressOf } from '../parts/frame/palette.tsx';
import { Page } from '../parts/ui.tsx';
import { go } from '../route.ts';

/** `/dashboard/go/<id>` opens the page of any id, in the account that has it. */
export function Finder({ id }: { id: string }) {
  const [error, setError] = useState<AskError | null>(null);
  useEffect(() => {
    setError(null);
    ask(findId, { params: { id } }).then(
      (found) => go(addressOf(found, id), { replace: true }),
      (thrown) => {
        const error = thrown instanceof AskError ? thrown : new AskError(0, String(thrown));
        if (error.status === 401) isOut();
        setError(error);
      },
    );
  }, [id]);
  if (!error) {
    return (
      <p class="loading" aria-busy="true">
        Looking…
      </p>
    );
  }
  return (
    <Page title={error.status === 404 ? 'This id was not found' : 'The id could not be looked up'}>
      <p>
        <code class="long-id">{id}</code>
      </p>
      <p>
        {error.status === 404
          ? 'It does not exist in any account of this simulator. It may be from before a reset. Search for a part of it, or for a name, an order or an email.'
          : error.message}
      </p>
    </Page>
  );
}
