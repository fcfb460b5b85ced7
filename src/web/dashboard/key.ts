import { browseAccounts } from '../../operations/browse.ts';

/**
 * The half of the sign-in that only this origin holds: other programs on this host are sent the cookie too. A link
 * hands it over behind the `#` of the address; every tab reads it from the origin's storage.
 */
const STORED = 'layaway-dashboard-key';

/** Where a browser refuses storage, it lasts until the page is reloaded. */
let held = '';

/** Empty when this browser has none for this origin. */
export function key(): string {
  try {
    return localStorage.getItem(STORED) ?? held;
  } catch {
    return held;
  }
}

function keep(given: string) {
  held = given;
  try {
    localStorage.setItem(STORED, given);
  } catch {}
}

/** Takes the key that a link has just handed over, and clears it from the address. */
export async function takeKey() {
  const given = /^#key=([\w-]+)$/.exec(location.hash)?.[1];
  if (given === undefined) return;
  history.replaceState(null, '', location.pathname + location.search);
  // Any page can link here with a made-up key, which must not replace a valid one.
  if (key() === '' || (await opens(given))) keep(given);
}

async function opens(given: string): Promise<boolean> {
  const headers = { 'x-layaway-dashboard': given };
  return fetch(browseAccounts.path, { headers, credentials: 'same-origin' }).then(
    ({ ok }) => ok,
    () => false,
  );
}
