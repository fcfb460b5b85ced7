import { listMerchants } from '../../operations/workspace.ts';
import type { Cli } from '../command.ts';
import { Refused } from '../exit.ts';

/** The merchants of the server; null without its control token, or with that of another server. */
export async function merchantsOf(client: Cli['client']) {
  if ((await client.address()).controlToken === null) return null;
  try {
    return (await client.call(listMerchants, { query: { limit: 1000 } })).body.data;
  } catch (error) {
    if (error instanceof Refused) return null;
    throw error;
  }
}
