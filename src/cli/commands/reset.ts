import type { Command } from 'commander';
import { reset as resetWorkspace } from '../../operations/workspace.ts';
import { run } from '../command.ts';
import { describe } from '../describe.ts';
import { confirmed } from '../prompt.ts';

export default function reset(command: Command) {
  describe(command, 'Return the whole state to what the server started with; snapshots stay.', 'layaway reset --yes')
    .option('--yes', 'do not ask')
    .action(
      run(async (cli, flags: { yes?: boolean }) => {
        await confirmed('Throw away the whole state of the server?', flags);
        const answer = await cli.client.call(resetWorkspace);
        await cli.show(answer, () => cli.out.note('The state is as it started.'));
      }),
    );
}
