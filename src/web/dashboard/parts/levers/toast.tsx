import type { ComponentChildren } from 'preact';
import { useContext, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { askedFor } from '../../ask.ts';
import { followed } from '../../route.ts';
import { shared } from '../../shared.ts';
import { Coded } from '../coded.tsx';
import { Here, nameOf } from '../here.ts';

/** The link of a message. */
interface Way {
  readonly href: string;
  readonly text: string;
}

interface Word {
  readonly id: number;
  readonly text: string;
  readonly tone: 'good' | 'bad';
  readonly way?: Way | undefined;
  /** The account that it is about, if only one. */
  readonly account: string | null;
}

const KEPT = 3;
const GOOD_MS = 5_000;
/** Long enough to reach the link by keyboard. */
const WITH_LINK_MS = 20_000;

const words = shared<readonly Word[]>([]);
let count = 0;

/** Shows the result of an action. Errors stay until they are dismissed. */
export function say(text: string, tone: Word['tone'] = 'good', way?: Way, account: string | null = null) {
  count += 1;
  const id = count;
  const others = words.get().filter((word) => word.text !== text || word.account !== account);
  words.set([...others, { id, text, tone, way, account }].slice(-KEPT));
}

/** Says the result of what begins now, in the account shown. The user may open another one before it ends. */
export function teller() {
  const account = askedFor();
  return (text: string, tone?: Word['tone'], way?: Way) => say(text, tone, way, account);
}

/** The name of the account that a message is about, where another one is shown. */
export function About({ account }: { account: string | null }) {
  const accounts = useContext(Here)?.accounts;
  if (account === null || account === askedFor()) return null;
  const named = accounts?.find(({ client_id }) => client_id === account);
  return <strong>{named ? nameOf(named) : account}: </strong>;
}

function lastsMsOf({ tone, way }: Word): number | null {
  if (tone === 'bad') return null;
  return way ? WITH_LINK_MS : GOOD_MS;
}

const forget = (id: number) => words.set(words.get().filter((word) => word.id !== id));

interface NoticeProps {
  readonly class: string;
  readonly testId: string;
  /** What it shows. Something else lasts as long again. */
  readonly of: unknown;
  /** Null for one that stays until it is dismissed. */
  readonly lastsMs: number | null;
  end(): void;
  readonly children: ComponentChildren;
}

/** Disappears after a while, but not under the pointer or while it has the focus. */
export function Notice({ class: name, testId, of, lastsMs, end, children }: NoticeProps) {
  const [isHeld, hold] = useState(false);
  const ref = useRef<HTMLDivElement>(null);
  // A later effect would leave the timer a moment to remove what was just focused.
  useLayoutEffect(() => {
    if (isHeld || lastsMs === null) return;
    const timer = setTimeout(end, lastsMs);
    return () => clearTimeout(timer);
  }, [of, isHeld, lastsMs]);
  return (
    <div
      ref={ref}
      class={name}
      data-testid={testId}
      onPointerEnter={() => hold(true)}
      onPointerLeave={() => hold(ref.current?.contains(document.activeElement) ?? false)}
      onFocusIn={() => hold(true)}
      onFocusOut={() => hold(false)}
    >
      {children}
      <button type="button" class="quiet" aria-label="Dismiss" onClick={end}>
        ×
      </button>
    </div>
  );
}

/** The latest messages, with `children` below them. */
export function Toasts({ children }: { children?: ComponentChildren }) {
  return (
    <div class="toasts" aria-live="polite" role="status">
      {words.use().map((word) => (
        <Notice
          key={word.id}
          class={`toast ${word.tone}`}
          testId="toast"
          of={word.id}
          lastsMs={lastsMsOf(word)}
          end={() => forget(word.id)}
        >
          <span>
            <About account={word.account} />
            <Coded text={word.text} />{' '}
            {word.way && (
              <a href={word.way.href} onClick={followed(word.way.href)}>
                {word.way.text}
              </a>
            )}
          </span>
        </Notice>
      ))}
      {children}
    </div>
  );
}
