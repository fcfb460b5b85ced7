import { useEffect } from 'preact/hooks';

/** What has the focus and all that contains it, each with its place among its siblings. */
type Held = readonly (readonly [element: Element, place: number])[];

/** What the focus can go to, from the inside out. */
const PLACES = 'tr, li, section, main';
const LISTS = 'tbody, ul, ol';

/**
 * Moves the focus to the nearest row or heading when the control that had it is gone, as a lever may be after its work.
 * From a message it goes back to where it was before. Otherwise nothing has it, and a screen reader starts at the top of
 * the page. Pointers need none of this.
 */
export function useKeptFocus() {
  useEffect(() => {
    let held: Held = [];
    let page = '';
    let before: Element | null = null;
    const hold = ({ target }: FocusEvent) => {
      if (!(target instanceof Element)) return;
      held = target.matches(':focus-visible') ? heldBy(target) : [];
      page = location.pathname;
      if (!target.closest('.afloat')) before = target;
    };
    const release = () => {
      held = [];
    };
    const watch = new MutationObserver(() => {
      if (held.length === 0 || held[0]?.[0].isConnected || document.activeElement !== document.body) return;
      // Another page has a heading that takes the focus.
      if (page === location.pathname)
        focus(nearestTo(held) ?? (before?.isConnected ? before : document.querySelector('main')));
      else release();
    });
    watch.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', hold);
    document.addEventListener('pointerdown', release);
    return () => {
      watch.disconnect();
      document.removeEventListener('focusin', hold);
      document.removeEventListener('pointerdown', release);
    };
  }, []);
}

function heldBy(target: Element): Held {
  const held: [Element, number][] = [];
  for (let at: Element | null = target; at; at = at.parentElement) {
    held.push([at, at.parentElement ? [...at.parentElement.children].indexOf(at) : 0]);
  }
  return held;
}

function nearestTo(held: Held): Element | null {
  let gone = 0;
  for (const [element, place] of held) {
    if (!element.isConnected) gone = place;
    else if (element.matches(LISTS) && element.lastElementChild) {
      return element.children[gone] ?? element.lastElementChild;
    } else if (element.matches(PLACES)) return element;
  }
  return null;
}

function focus(place: Element | null) {
  const at = place?.matches('section, main')
    ? place.querySelector<HTMLElement>('h1, h2')
    : (place as HTMLElement | null);
  if (!at) return;
  if (at.tabIndex < 0 && !at.hasAttribute('tabindex')) {
    at.tabIndex = -1;
    at.addEventListener('blur', () => at.removeAttribute('tabindex'), { once: true });
  }
  at.focus();
}
