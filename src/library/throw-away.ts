import { OF_TOOL } from '../operations/tool-header.ts';
import type { ReceiverAnswer, ReceiverRequest } from '../operations/wire.ts';
import { deleteMerchant, sendToReceiver } from '../operations/workspace.ts';
import { asker, dataOf, type Send } from './client.ts';
import { issued, type MerchantOptions, type SandboxShop, shopsOf, workspaceLevers } from './shops.ts';
import type { Waiting } from './wait.ts';

/** A merchant on a running server for one examination (interface §10). */
export interface ThrowAwayMerchant {
  readonly shop: SandboxShop;
  /** Makes the server send the request unchanged. */
  send(request: ReceiverRequest): Promise<ReceiverAnswer>;
  delete(): Promise<void>;
}

export async function createThrowAwayMerchant(
  { send, ...server }: { url: string; controlToken: string; send: Send; waiting: Waiting },
  options: MerchantOptions,
): Promise<ThrowAwayMerchant> {
  const connection = {
    send,
    headers: { authorization: `Bearer ${server.controlToken}`, ...OF_TOOL },
  };
  const ask = asker(connection);
  const { id, sandbox, live } = await workspaceLevers(connection).create(options, { throw_away: true });
  const params = { id };
  return {
    shop: shopsOf({ ...server, send })(issued(sandbox), issued(live)),
    send: (body) => ask(sendToReceiver, { params, body }).then(dataOf),
    delete: async () => void (await ask(deleteMerchant, { params })),
  };
}
