import type { Command } from 'commander';
import { run } from '../command.ts';
import { describe } from '../describe.ts';

export default function openapi(command: Command) {
  describe(command, 'Print the OpenAPI document of the service.', 'layaway openapi > openapi.json').action(
    run(async (cli) => cli.out.document(await cli.client.document())),
  );
}
