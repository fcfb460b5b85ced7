import { browseAccounts } from '../../operations/browse.ts';
import { keep, recall } from './parts/stored.ts';

/**
 * The half of the sign-in that only this origin holds: other programs on this host are sent the cookie too. A link
 * hands it over behind the `#` of the address; every tab reads it from the origin's storage.
 */
const STORED = 'layaway-dashboard-key';

/** Empty when this browser has none for this origin. */
export const key = () => recall(STORED) ?? '';

/** Takes the key that a link has just handed over, and clears it from the address. */
export async function takeKey() {
  const given = /^#key=([\w-]+)$/.exec(location.hash)?.[1];
  if (given === undefined) return;
  history.replaceState(null, '', location.pathname + location.search);
  // Any page can link here with a made-up key, which must not replace a valid one.
  if (key() === '' || (await opens(given))) keep(STORED, given);
}

async function opens(given: string): Promise<boolean> {
  const headers = { 'x-layaway-dashboard': given };
  return fetch(browseAccounts.path, { headers, credentials: 'same-origin' }).then(
    ({ ok }) => ok,
    () => false,
  );
}
