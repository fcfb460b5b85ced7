import { useEffect, useState } from 'preact/hooks';
import { findId } from '../../../operations/browse.ts';
import { type AskError, ask, askErrorOf } from '../ask.ts';
import { pageOf } from '../parts/link-to.tsx';
import { Waiting } from '../parts/shown.tsx';
import { Page } from '../parts/ui.tsx';
import { go } from '../route.ts';

/** `/dashboard/go/<id>` opens the page of any id, in the account that has it. */
export function Finder({ id }: { id: string }) {
  const [error, setError] = useState<AskError | null>(null);
  useEffect(() => {
    setError(null);
    let isLeft = false;
    ask(findId, { params: { id } }).then(
      (found) => isLeft || go(pageOf(found, id), { replace: true }),
      (thrown) => setError(askErrorOf(thrown)),
    );
    return () => {
      isLeft = true;
    };
  }, [id]);
  if (!error) return <Waiting>Looking…</Waiting>;
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
