import type { Command } from 'commander';
import { reset as resetWorkspace } from '../../operations/workspace.ts';
import { run } from '../command.ts';
import { describe } from '../describe.ts';
import { confirmed } from '../terminal/prompt.ts';

export default function reset(command: Command) {
  describe(command, 'Reset the server to its initial state; snapshots are kept.', 'layaway reset --yes')
    .option('--yes', 'do not ask')
    .action(
      run(async (cli, flags: { yes?: boolean }) => {
        await confirmed('Reset the server to its initial state? All changes are lost.', flags);
        const answer = await cli.client.call(resetWorkspace);
        await cli.show(answer, () => cli.out.note('Reset to the initial state.'));
      }),
    );
}
