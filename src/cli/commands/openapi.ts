import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { type Cli, run } from '../command.ts';
import { describe } from '../describe.ts';
import { Unreachable } from '../exit.ts';
import { DEFAULT } from '../server/address.ts';
import { shippedFile } from '../shipped.ts';

export default function openapi(command: Command) {
  describe(
    command,
    'Print the OpenAPI document of the service, from the server in use, or else from this version.',
    'layaway openapi > openapi.json',
  ).action(run(async (cli) => cli.out.document(await document(cli))));
}

/** If no server was named and none answers, the shipped document does. */
async function document({ client, out }: Cli): Promise<string> {
  try {
    return await client.document();
  } catch (error) {
    const { from } = await client.address();
    const isAwaited = from.baseUrl === DEFAULT;
    if (!isAwaited || !(error instanceof Unreachable)) throw error;
    out.note('No server is running: this is the document of this version of layaway.');
    return readFileSync(shippedFile('fixtures/openapi.json'), 'utf8');
  }
}
