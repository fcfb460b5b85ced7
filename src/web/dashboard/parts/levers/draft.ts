import { useState } from 'preact/hooks';
import { keep, recall } from '../stored.ts';

/** Unsaved changes. They survive other views and a reload, until the tab is closed. */
export function useDraft<T>(name: string, none: T): [draft: T, set: (next: T) => void] {
  const [, redraw] = useState(0);
  const stored = `layaway-draft ${name}`;
  const text = recall(stored, 'sessionStorage');
  const set = (next: T) => {
    keep(stored, next === none ? null : JSON.stringify(next), 'sessionStorage');
    redraw((n) => n + 1);
  };
  return [text === null ? none : JSON.parse(text), set];
}
