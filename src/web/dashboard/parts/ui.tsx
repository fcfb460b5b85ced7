import { type AnchorHTMLAttributes, type ComponentChildren, toChildArray } from 'preact';
import { useCallback, useContext, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isFailure } from '../../../domain/event.ts';
import type { AskError } from '../ask.ts';
import type { Read } from '../live.ts';
import { followed, hrefOf } from '../route.ts';
import { dateOf, fromNow, momentOf, pretty, spaced, timeOf } from '../words.ts';
import { Here } from './here.ts';
import { commandsOf } from './levers/clip.ts';
import { Copy } from './levers/levers.tsx';
import { type Sort, useSorted } from './lists/sorting.ts';

export function Link({
  href,
  children,
  ...rest
}: { href: string; children: ComponentChildren } & AnchorHTMLAttributes) {
  return (
    <a {...rest} href={href} onClick={followed(href)}>
      {children}
    </a>
  );
}

/** The frame of a view. Its heading takes the focus when the view opens, unless that of a panel does. */
export function Page({
  title,
  lead,
  actions,
  opensPanel = false,
  children,
}: {
  title: ComponentChildren;
  lead?: ComponentChildren;
  actions?: ComponentChildren;
  opensPanel?: boolean;
  children: ComponentChildren;
}) {
  return (
    <>
      <div class="page-head">
        <div class="page-title">
          <h1 tabIndex={-1} class={opensPanel ? undefined : 'arrival'}>
            {title}
          </h1>
          {lead && <p class="lead">{lead}</p>}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </div>
      {children}
    </>
  );
}

export function Panel({
  title,
  aside,
  children,
  flush = false,
  isOpened = false,
  testId,
}: {
  title: ComponentChildren;
  aside?: ComponentChildren;
  children: ComponentChildren;
  flush?: boolean;
  /** Its heading takes the focus, in the place of the page's. */
  isOpened?: boolean;
  testId?: string;
}) {
  const id = useId();
  return (
    <section class="panel" aria-labelledby={id} data-testid={testId}>
      <div class="panel-head">
        <h2 id={id} tabIndex={isOpened ? -1 : undefined} class={isOpened ? 'arrival' : undefined}>
          {title}
        </h2>
        {aside && <div class="aside">{aside}</div>}
      </div>
      <div class={flush ? 'panel-body flush' : 'panel-body'}>{children}</div>
    </section>
  );
}

/** The text of an empty list, and the command that fills it. */
export function Empty({ children, run }: { children: ComponentChildren; run?: string }) {
  return (
    <div class="empty" data-testid="empty">
      <p>{children}</p>
      {run !== undefined && <Command text={commandsOf(run)} />}
    </div>
  );
}

/** A text with code in backticks. A command of it is copied with what reaches the account shown from any folder. */
export function WithCommands({ text }: { text: string }) {
  return text.split('`').map((part, index) => (index % 2 === 0 ? part : <Code key={index} text={part} />));
}

function Code({ text }: { text: string }) {
  if (!text.startsWith('layaway ')) return <code>{text}</code>;
  return (
    <span class="runnable">
      <code>{text}</code>{' '}
      <Copy text={commandsOf(text)} name={`Copy ${text}`}>
        Copy
      </Copy>
    </span>
  );
}

export function Command({ text }: { text: string }) {
  return (
    <div class="command">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{text}</pre>
      <Copy text={text}>Copy</Copy>
    </div>
  );
}

export function Failure({ error, retry }: { error: AskError; retry?: () => void }) {
  return (
    <div class="failure" role="alert">
      <p>{error.message}</p>
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

const TONES: Record<string, string> = {
  active: 'good',
  completed: 'good',
  paid: 'good',
  delivered: 'good',
  pay: 'good',
  enabled: 'good',
  pending: 'calm',
  decision_made: 'calm',
  upcoming: 'calm',
  due: 'warm',
  past_due: 'warm',
  delinquent: 'bad',
  defaulted: 'bad',
  failed: 'bad',
  fail: 'bad',
  disabled: 'bad',
};

export const toneOf = (status: string) => TONES[status] ?? 'plain';

export function Badge({ of, children }: { of: string; children?: ComponentChildren }) {
  return <span class={`badge ${toneOf(of)}`}>{children ?? spaced(of)}</span>;
}

/** Only failures are coloured. */
export function EventType({ type }: { type: string }) {
  return <span class={isFailure(type) ? 'event bad-ink' : 'event'}>{type}</span>;
}

export function Moment({ at, relative = false }: { at: string; relative?: boolean }) {
  const { now } = useContext(Here);
  return (
    <time dateTime={at} title={`${momentOf(at)} UTC`}>
      {relative ? (
        fromNow(at, now)
      ) : (
        <>
          <span class="unbroken">{dateOf(at)},</span> <span class="unbroken">{timeOf(at)}</span>
        </>
      )}
    </time>
  );
}

/** Free text on one line, cut off where space is short. The tooltip has the whole text. */
export const Clip = ({ children }: { children: string }) => (
  <bdi class="clip" title={children}>
    {children}
  </bdi>
);

export function Json({ value, label }: { value: unknown; label: string }) {
  return (
    <figure aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre class="json" tabIndex={0}>
        {pretty(value)}
      </pre>
    </figure>
  );
}

export type TableHead = string | readonly [name: string, kind: 'figure' | 'unseen'];

/** Layouts of a table, widest first: dates on one line, dates on two lines, each row as a card. */
const WAYS = ['loose', 'tight', 'cards'];

/** With fewer rows, nobody needs to sort cards. */
const SORTED_CARDS_MIN = 6;

/** A click anywhere in a row follows its first link. */
function openRow(event: MouseEvent) {
  const { target } = event;
  if (!(target instanceof Element) || target.closest('a, button, input, select, summary, label, dialog')) return;
  if (event.button !== 0 || getSelection()?.toString()) return;
  const { ctrlKey, metaKey, shiftKey } = event;
  const link = target.closest('tr')?.querySelector('a[href]');
  link?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }));
}

/**
 * A table with sortable columns. Where it does not fit, its rows become cards. With `isPage`, its rows are one page of a
 * longer list, and it says that it sorts only those.
 */
export function Table({
  label,
  heads,
  isPage = false,
  children,
}: {
  label: string;
  heads: readonly TableHead[];
  isPage?: boolean;
  children: ComponentChildren;
}) {
  const ref = useRef<HTMLDivElement>(null);
  const frame = useRef(0);
  const [sort, setSort] = useState<Sort | null>(null);
  const rows = toChildArray(children);
  const order = useSorted(ref, rows.length, sort);
  const canSort = rows.length > 1;
  const named = heads.map((head) => (typeof head === 'string' ? ([head, null] as const) : head));
  /** Ascending, then descending, then the original order. */
  const turn = (column: number) =>
    setSort(sort?.column !== column ? { column, isDown: false } : sort.isDown ? null : { column, isDown: true });
  const arrange = useCallback(() => {
    const box = ref.current;
    if (!box) return;
    for (const way of WAYS) {
      box.classList.remove(...WAYS);
      box.classList.add(way);
      if (box.scrollWidth <= box.clientWidth) break;
    }
  }, []);
  // In a separate frame, so that the page is laid out once and the observer does not react to its own change.
  const rearrange = useCallback(() => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(arrange);
  }, [arrange]);
  // At once for a new table, before its first paint.
  useLayoutEffect(arrange, [arrange]);
  useLayoutEffect(rearrange);
  useLayoutEffect(() => {
    const watch = new ResizeObserver(rearrange);
    watch.observe(ref.current as HTMLDivElement);
    return () => watch.disconnect();
  }, [rearrange]);
  return (
    <div class="fitting" ref={ref}>
      {rows.length >= SORTED_CARDS_MIN && (
        <label class="card-sort">
          {isPage ? 'Sort this page by' : 'Sort by'}{' '}
          <select
            value={sort === null ? '' : `${sort.column}${sort.isDown ? ' down' : ''}`}
            onChange={({ currentTarget: { value } }) =>
              setSort(value === '' ? null : { column: Number.parseInt(value, 10), isDown: value.endsWith('down') })
            }
          >
            <option value="">original order</option>
            {named.flatMap(([name, kind], column) =>
              kind === 'unseen'
                ? []
                : [
                    <option key={name} value={`${column}`}>{`${name}, ascending`}</option>,
                    <option key={`${name} down`} value={`${column} down`}>{`${name}, descending`}</option>,
                  ],
            )}
          </select>
        </label>
      )}
      <table aria-label={label}>
        <thead>
          <tr>
            {named.map(([name, kind], column) => (
              <th
                key={name}
                scope="col"
                class={kind === 'figure' ? 'figure' : undefined}
                data-name={kind === 'unseen' ? undefined : name}
                aria-sort={sort?.column === column ? (sort.isDown ? 'descending' : 'ascending') : undefined}
              >
                {kind === 'unseen' ? (
                  <span class="unseen">{name}</span>
                ) : canSort ? (
                  <>
                    <button
                      type="button"
                      class="sort"
                      title={isPage ? 'Sorts the rows of this page' : undefined}
                      onClick={() => turn(column)}
                    >
                      {name}
                    </button>
                    <span class="printed">{name}</span>
                  </>
                ) : (
                  name
                )}
              </th>
            ))}
          </tr>
        </thead>
        {/* biome-ignore lint/a11y: keyboard users follow the link in the row */}
        <tbody onClick={openRow}>{order.map((row) => rows[row])}</tbody>
      </table>
    </div>
  );
}

export function Facts({ of }: { of: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {of.map(([name, value]) => (
        <div key={name} class={typeof value === 'string' && value.includes('://') ? 'whole' : undefined}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
