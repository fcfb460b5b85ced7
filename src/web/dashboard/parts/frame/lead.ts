/** After this time, moving the focus would surprise the user. */
const PATIENCE_MS = 5_000;

let wanted: string | null = null;
let led: HTMLElement | null = null;

/** Whether a lever is about to get the focus, or got it. The heading of its view must not take it then. */
export const isLeading = () => wanted !== null || (led !== null && led === document.activeElement);

/** Moves the focus to the button or field with this name as soon as the view shows it. */
export function leadTo(name: string) {
  const until = performance.now() + PATIENCE_MS;
  wanted = name;
  const look = () => {
    if (wanted !== name) return;
    const found = named(name);
    if (found) {
      found.scrollIntoView({ block: 'center' });
      found.focus();
      led = found;
    }
    if (found || performance.now() > until) wanted = null;
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** What is not drawn yet, because its view waits for a list, cannot get the focus. */
function named(name: string): HTMLElement | null {
  const main = document.querySelector('main');
  for (const each of main?.querySelectorAll<HTMLElement>('button, label, h1') ?? []) {
    if (each.textContent?.trim() !== name || each.getClientRects().length === 0) continue;
    return each instanceof HTMLLabelElement ? each.control : each;
  }
  return null;
}
