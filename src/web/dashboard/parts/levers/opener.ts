import { go } from '../../route.ts';
import { teller } from './toast.tsx';

/** Says what was done and opens it, or only links to it if the user went to another page meanwhile. */
export type Open = (href: string, text: string) => void;

/** Call it before the work begins, and the result after it. */
export function opener(): Open {
  const from = location.pathname;
  const tell = teller();
  return (href, text) => {
    if (location.pathname !== from) return tell(text, 'good', { href, text: 'Show it' });
    tell(text);
    go(href);
  };
}
