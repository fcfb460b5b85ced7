import type { AnchorHTMLAttributes, ComponentChildren } from 'preact';
import { useCallback, useContext, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { isFailure } from '../../../domain/event.ts';
import type { AskError } from '../ask.ts';
import { followed, hrefOf } from '../route.ts';
import { dateOf, fromNow, momentOf, pretty, spaced, timeOf } from '../words.ts';
import { commandsOf } from './clip.ts';
import { Here } from './here.ts';
import { Copy } from './levers.tsx';

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

/** A view begins with its heading, which takes the focus when the view opens. */
export function Page({
  title,
  lead,
  actions,
  children,
}: {
  title: ComponentChildren;
  lead?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <>
      <div class="page-head">
        <div class="page-title">
          <h1 tabIndex={-1}>{title}</h1>
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
  level = 2,
  testId,
}: {
  title: ComponentChildren;
  aside?: ComponentChildren;
  children: ComponentChildren;
  flush?: boolean;
  level?: 2 | 3;
  testId?: string;
}) {
  const id = useId();
  const Heading = level === 2 ? 'h2' : 'h3';
  return (
    <section class="panel" aria-labelledby={id} data-testid={testId}>
      <div class="panel-head">
        <Heading id={id}>{title}</Heading>
        {aside && <div class="aside">{aside}</div>}
      </div>
      <div class={flush ? 'panel-body flush' : 'panel-body'}>{children}</div>
    </section>
  );
}

/** Says that a list is empty, and which command fills it. */
export function Empty({ children, run }: { children: ComponentChildren; run?: string }) {
  return (
    <div class="empty" data-testid="empty">
      <p>{children}</p>
      {run !== undefined && <Command text={commandsOf(run)} />}
    </div>
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

/** Shows the data of a read, its error, or that it is loading. */
export function Shown<T>({
  of,
  children,
}: {
  of: { data: T | undefined; error: AskError | null; reload(): void };
  children: (data: T) => ComponentChildren;
}) {
  if (of.data !== undefined) return <>{children(of.data)}</>;
  if (of.error) return <Failure error={of.error} retry={of.reload} />;
  return (
    <p class="loading" aria-busy="true">
      Loading…
    </p>
  );
}

/** The same for a view of one resource, which may not exist. */
export function ShownOne<T>({
  of,
  id,
  children,
}: {
  of: { data: T | undefined; error: AskError | null; reload(): void };
  id: string;
  children: (data: T) => ComponentChildren;
}) {
  if (of.data !== undefined || of.error?.status !== 404) return <Shown of={of}>{children}</Shown>;
  return (
    <Page title="This id was not found">
      <p>
        <code class="long-id">{id}</code> does not exist in this account. It may belong to another account, or be from
        before a reset.
      </p>
      <p>
        <Link href={hrefOf('go', id)}>Look for it in every account</Link>
      </p>
    </Page>
  );
}

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

/** What an event says by its colour: only failures stand out. */
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

/** Free text on one line of a list, cut off where space is short; its title has all of it. */
export const Clip = ({ children }: { children: string }) => (
  <bdi class="clip" title={children}>
    {children}
  </bdi>
);

export function Field({
  label,
  hint,
  children,
}: {
  label: string;
  hint?: ComponentChildren;
  children: (id: string, hintId: string | undefined) => ComponentChildren;
}) {
  const id = useId();
  const hintId = hint ? `${id}-hint` : undefined;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id, hintId)}
      {hint && (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  );
}

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

/** How a table stands in its box, the roomiest first: dates on one line, then on two, then each row as a card. */
const WAYS = ['loose', 'tight', 'cards'];

/** A table; where it does not fit, its rows become cards. */
export function Table({
  label,
  heads,
  children,
}: {
  label: string;
  heads: readonly TableHead[];
  children: ComponentChildren;
}) {
  const ref = useRef<HTMLDivElement>(null);
  const frame = useRef(0);
  const arrange = useCallback(() => {
    const box = ref.current;
    if (!box) return;
    for (const way of WAYS) {
      box.classList.remove(...WAYS);
      box.classList.add(way);
      if (box.scrollWidth <= box.clientWidth) break;
    }
  }, []);
  // In a frame of its own: the page is laid out once, and no observer sees what it caused itself.
  const rearrange = useCallback(() => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(arrange);
  }, [arrange]);
  // A new table at once, before it is painted.
  useLayoutEffect(arrange, [arrange]);
  useLayoutEffect(rearrange);
  useLayoutEffect(() => {
    const watch = new ResizeObserver(rearrange);
    watch.observe(ref.current as HTMLDivElement);
    return () => watch.disconnect();
  }, [rearrange]);
  return (
    <div class="fitting" ref={ref}>
      <table aria-label={label}>
        <thead>
          <tr>
            {heads.map((head) => {
              const [name, kind] = typeof head === 'string' ? [head, null] : head;
              return (
                <th key={name} scope="col" class={kind === 'figure' ? 'figure' : undefined}>
                  {kind === 'unseen' ? <span class="unseen">{name}</span> : name}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>{children}</tbody>
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
