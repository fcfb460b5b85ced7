import type { ComponentChildren } from 'preact';
import type { AskError } from '../ask.ts';
import type { Read } from '../live.ts';
import { hrefOf } from '../route.ts';
import { Coded } from './coded.tsx';
import { Link, Page } from './ui.tsx';

export function Failure({ error, retry }: { error: AskError; retry?: () => void }) {
  return (
    <div class="failure" role="alert">
      <p>
        <Coded text={error.message} />
      </p>
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Shows the data of a read, its error, or a loading message. */
export function Shown<T>({ of, children }: ShownProps<T>) {
  if (of.data !== undefined) return <>{children(of.data)}</>;
  if (of.error) return <Failure error={of.error} retry={of.reload} />;
  return <Waiting>Loading…</Waiting>;
}

interface ShownProps<T> {
  readonly of: Pick<Read<T>, 'data' | 'error' | 'reload'>;
  children(data: T): ComponentChildren;
}

export const Waiting = ({ children }: { children: string }) => (
  <p class="loading" aria-busy="true">
    {children}
  </p>
);

/** The same for a view of one resource, with a page for an id that does not exist. */
export function ShownOne<T>({ of, id, note, children }: ShownProps<T> & NotFoundProps) {
  if (!isNotFound(of)) return <Shown of={of}>{children}</Shown>;
  return (
    <Page title={NOT_FOUND}>
      <NotFound id={id} note={note} />
    </Page>
  );
}

export const isNotFound = ({ data, error }: ShownProps<unknown>['of']) => data === undefined && error?.status === 404;

export const NOT_FOUND = 'This id was not found';

interface NotFoundProps {
  readonly id: string;
  /** Another reason for it. */
  readonly note?: string | undefined;
}

export const NotFound = ({ id, note }: NotFoundProps) => (
  <>
    <p>
      <code class="long-id">{id}</code> does not exist in this account. It may belong to another account, or be from
      before a reset. {note}
    </p>
    <p>
      <Link href={hrefOf('go', id)}>Look for it in every account</Link>
    </p>
  </>
);
