import { browseAccounts } from '../../operations/browse.ts';
import { keep, recall } from './parts/stored.ts';

/**
 * The half of the sign-in that only this origin holds: browsers send the cookie to other programs on this host too. A
 * sign-in link carries the key after the `#` of its address. Every tab reads it from the origin's storage.
 */
const STORED = 'layaway-dashboard-key';

/** Empty if this origin has no key. */
export const key = () => recall(STORED) ?? '';

/** Stores the key from a sign-in link and removes it from the address. */
export async function takeKey() {
  const given = /^#key=([\w-]+)$/.exec(location.hash)?.[1];
  if (given === undefined) return;
  history.replaceState(null, '', location.pathname + location.search);
  // Any page can link here with a made-up key, which must not replace a valid one.
  if (key() === '' || (await opens(given))) keep(STORED, given);
}

/** Tells when another tab of this origin has signed in, until the returned function is called. */
export function onSignIn(tell: () => void): () => void {
  const listener = (event: StorageEvent) => {
    if (event.key === STORED) tell();
  };
  addEventListener('storage', listener);
  return () => removeEventListener('storage', listener);
}

async function opens(given: string): Promise<boolean> {
  const headers = { 'x-layaway-dashboard': given };
  return fetch(browseAccounts.path, { headers, credentials: 'same-origin' }).then(
    ({ ok }) => ok,
    () => false,
  );
}
