import { useState } from 'preact/hooks';
import { keep, recall } from './stored.ts';

/** By name, where the browser refuses storage. */
const drafts = new Map<string, unknown>();
const stored = (name: string) => `layaway-draft ${name}`;

function read(name: string): unknown {
  const text = recall(stored(name), 'sessionStorage');
  return text === null ? drafts.get(name) : JSON.parse(text);
}

/** What was changed and not saved yet. It survives other views and a reload, until this tab is closed. */
export function useDraft<T>(name: string, none: T): [draft: T, set: (next: T) => void] {
  const [, redraw] = useState(0);
  const set = (next: T) => {
    const isNone = next === none;
    if (isNone) drafts.delete(name);
    else drafts.set(name, next);
    keep(stored(name), isNone ? null : JSON.stringify(next), 'sessionStorage');
    redraw((n) => n + 1);
  };
  return [(read(name) as T | undefined) ?? none, set];
}
