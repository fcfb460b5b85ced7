import type { Simulator } from '../../src/index.ts';

/** Opens a one-time link. Returns the cookie, and the key from the fragment of the address, as headers. */
export async function enterDashboard({ dashboardUrl }: Pick<Simulator, 'dashboardUrl'>) {
  const response = await fetch(dashboardUrl, { redirect: 'manual' });
  const [, key] = /^\/dashboard#key=([\w-]{40,})$/.exec(response.headers.get('location') ?? '') ?? [];
  if (response.status !== 303 || key === undefined) throw new Error(`The link answered ${response.status}.`);
  const cookie = (response.headers.get('set-cookie') as string).split(';', 1)[0] as string;
  return { cookie, 'x-layaway-dashboard': key };
}
