import type { AnchorHTMLAttributes, ComponentChildren } from 'preact';
import { useContext, useId } from 'preact/hooks';
import { isFailure } from '../../../domain/event.ts';
import { followed } from '../route.ts';
import { dateOf, fromNow, momentOf, pretty, spaced, timeOf } from '../words.ts';
import { Coded } from './coded.tsx';
import { Here } from './here.ts';
import { Copy } from './levers/levers.tsx';
import { commandsOf } from './levers/snippets.ts';

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

/** Text whose commands, in backticks, can be copied with what they need to reach the account shown from any folder. */
export const WithCommands = ({ text }: { text: string }) => <Coded text={text} as={Code} />;

function Code({ text }: { text: string }) {
  // At a terminal, a command asks for an id that is left out. In a shell, `<id>` would read a file.
  const command = text.replace(/^(layaway(?: \w[\w-]*)+) <\w+>(?= --|$)/, '$1');
  if (!text.startsWith('layaway ') || command.includes('<')) return <code>{text}</code>;
  return (
    <span class="runnable">
      <code>{text}</code>{' '}
      <Copy text={commandsOf(command)} name={`Copy ${text}`}>
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

/** Only failures are colored. */
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
export const Truncated = ({ children }: { children: string }) => (
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
