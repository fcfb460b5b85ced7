import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { followed } from '../route.ts';

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
}

const KEPT = 3;
const GOOD_MS = 5_000;

let words: readonly Word[] = [];
let count = 0;
let changed: () => void = () => undefined;

function put(next: readonly Word[]) {
  words = next;
  changed();
}

/** Shows the result of an action. Errors stay until they are dismissed. */
export function say(text: string, tone: Word['tone'] = 'good', way?: Way) {
  count += 1;
  const id = count;
  put([...words.filter((word) => word.text !== text), { id, text, tone, way }].slice(-KEPT));
  if (tone === 'good') setTimeout(() => put(words.filter((word) => word.id !== id)), GOOD_MS);
}

/** The latest messages, with `children` below them. */
export function Toasts({ children }: { children?: ComponentChildren }) {
  const [shown, setShown] = useState(words);
  useEffect(() => {
    changed = () => setShown(words);
    return () => {
      changed = () => undefined;
    };
  }, []);
  return (
    <div class="toasts" aria-live="polite" role="status">
      {shown.map(({ id, text, tone, way }) => (
        <div key={id} class={`toast ${tone}`} data-testid="toast">
          <span>
            {text}{' '}
            {way && (
              <a href={way.href} onClick={followed(way.href)}>
                {way.text}
              </a>
            )}
          </span>
          <button
            type="button"
            class="quiet"
            aria-label="Dismiss"
            onClick={() => put(words.filter((w) => w.id !== id))}
          >
            ×
          </button>
        </div>
      ))}
      {children}
    </div>
  );
}
