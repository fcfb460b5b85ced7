import { WHOLE_LIST } from '../../operations/list-query.ts';
import { listMerchants } from '../../operations/workspace.ts';
import type { Cli } from '../command.ts';
import { Refused } from '../exit.ts';

/** The merchants of the server; null without its control token, or with that of another server. */
export async function merchantsOf(client: Cli['client']) {
  if ((await client.address()).controlToken === null) return null;
  try {
    return (await client.call(listMerchants, WHOLE_LIST)).body.data;
  } catch (error) {
    if (error instanceof Refused) return null;
    throw error;
  }
}

/** The account that commands use, with its derived webhook secret; undefined without the control token. */
export async function accountOf(client: Cli['client']) {
  const { clientId } = await client.address();
  const accounts = (await merchantsOf(client))?.flatMap(({ sandbox, live }) => [sandbox, live]);
  return accounts?.find(({ client_id }) => client_id === clientId);
}
