import { useState } from 'preact/hooks';
import { keep, recall } from '../stored.ts';

/** Unsaved changes. They survive other views and a reload, until the tab is closed. */
export function useDraft<T>(name: string, none: T): [draft: T, set: (next: T | ((now: T) => T)) => void] {
  const [, redraw] = useState(0);
  const stored = `layaway-draft ${name}`;
  const read = (): T => {
    const text = recall(stored, 'sessionStorage');
    return text === null ? none : JSON.parse(text);
  };
  const set = (next: T | ((now: T) => T)) => {
    const draft = next instanceof Function ? next(read()) : next;
    keep(stored, draft === none ? null : JSON.stringify(draft), 'sessionStorage');
    redraw((n) => n + 1);
  };
  return [read(), set];
}

/** Whether two values are the same as JSON. */
export const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
