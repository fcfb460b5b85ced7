import type { AnchorHTMLAttributes, ComponentChildren } from 'preact';
import { useContext, useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { AskError } from '../ask.ts';
import { followed } from '../route.ts';
import { fromNow, momentOf, pretty, spaced } from '../words.ts';
import { Here } from './here.ts';
import { say } from './toast.tsx';

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

/** A view begins with its heading, which takes the focus when one comes to it. */
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

/** Nothing there yet: what to run so that there is. */
export function Empty({ children, run }: { children: ComponentChildren; run?: string }) {
  return (
    <div class="empty" data-testid="empty">
      <p>{children}</p>
      {run !== undefined && <Command text={run} />}
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

/** What a read has to show: its data, or why there is none, or that it is on its way. */
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
  const bad = /failed|past_due|delinquent|defaulted/.test(type);
  return <span class={bad ? 'event bad-ink' : 'event'}>{type}</span>;
}

export function Moment({ at, relative = false }: { at: string; relative?: boolean }) {
  const { now } = useContext(Here);
  const at_ = momentOf(at);
  return (
    <time dateTime={at} title={`${at_} UTC`}>
      {relative ? fromNow(at, now) : at_}
    </time>
  );
}

export function Copy({ text, children }: { text: string; children: ComponentChildren }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      say('The browser does not allow copying here. Select the text instead.', 'bad');
    }
  };
  return (
    <button type="button" class="quiet" onClick={copy} title={text.length < 200 ? text : undefined}>
      {copied ? 'Copied' : children}
      <span class="unseen" role="status">
        {copied ? 'Copied to the clipboard' : ''}
      </span>
    </button>
  );
}

/** A button whose work is under way takes no second click. */
export function Act({
  does,
  children,
  kind = 'plain',
  confirm,
  disabled = false,
  title,
}: {
  does: () => Promise<unknown>;
  children: ComponentChildren;
  kind?: 'plain' | 'strong' | 'danger' | 'quiet';
  /** Asked first, when what is done cannot be undone. */
  confirm?: string;
  disabled?: boolean;
  title?: string;
}) {
  const [busy, setBusy] = useState(false);
  const [asking, setAsking] = useState(false);
  const work = async () => {
    if (busy) return;
    setAsking(false);
    setBusy(true);
    try {
      await does();
    } catch (error) {
      say(error instanceof AskError ? error.message : String(error), 'bad');
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <button
        type="button"
        class={kind}
        disabled={disabled}
        aria-disabled={busy}
        aria-busy={busy}
        title={title}
        onClick={() => (confirm === undefined ? work() : setAsking(true))}
      >
        {children}
      </button>
      {asking && (
        <Dialog title={typeof children === 'string' ? children : 'Are you sure?'} close={() => setAsking(false)}>
          <p>{confirm}</p>
          <div class="actions">
            <button type="button" class={kind === 'danger' ? 'danger' : 'strong'} onClick={work}>
              {children}
            </button>
            <button type="button" onClick={() => setAsking(false)}>
              Keep things as they are
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

export function Dialog({ title, close, children }: { title: string; close: () => void; children: ComponentChildren }) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    ref.current?.showModal();
  }, []);
  return (
    <dialog ref={ref} aria-labelledby={id} onClose={close}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

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

/** A table that scrolls by itself on a narrow screen. */
export function Table({
  label,
  heads,
  children,
}: {
  label: string;
  heads: readonly (string | readonly [name: string, kind: 'figure' | 'unseen'])[];
  children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div class="scroll" tabIndex={0}>
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
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
