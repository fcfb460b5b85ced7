import type { Command } from 'commander';
import { grouped } from '../../domain/text.ts';
import { suggestion } from '../../nearest.ts';
import { WHOLE_LIST } from '../../operations/list-query.ts';
import { deleteSnapshot, listSnapshots, restoreSnapshot, saveSnapshot } from '../../operations/workspace.ts';
import { type Cli, run, verb } from '../command.ts';
import { describe } from '../describe.ts';
import { Refused } from '../exit.ts';
import { when } from '../terminal/format.ts';
import { asked, chosen, confirmed } from '../terminal/prompt.ts';

export default function snapshots(noun: Command) {
  describe(noun, 'Save and restore the state of the server.', 'layaway snapshots save before-default');

  verb(noun, 'save <name>', 'Save the current state.', 'layaway snapshots save before-default --overwrite')
    .option('--overwrite', 'replace an existing snapshot with this name')
    .action(
      run(async (cli, given: string | undefined, { overwrite }: { overwrite?: true }) => {
        const name = await asked(given, 'Missing snapshot name.', { message: 'Name of the snapshot' });
        const answer = await cli.client.call(saveSnapshot, { body: { name, overwrite } });
        await cli.show(answer, (snapshot) =>
          cli.out.note(`Saved snapshot "${snapshot.name}", ${kilobytes(snapshot.bytes)}.`),
        );
      }),
    );

  verb(noun, 'restore <name>', 'Restore a saved state, including clocks.', 'layaway snapshots restore before-default')
    .option('--yes', 'do not ask')
    .action(
      run(async (cli, given: string | undefined, flags: { yes?: boolean }) => {
        const name = await chooseSnapshot(cli, given);
        await confirmed(`Replace the state of the server with snapshot ${name}?`, flags);
        const answer = await cli.client.call(restoreSnapshot, { params: { name } }).catch(orNamed(cli, name));
        await cli.show(answer, () => cli.out.note(`Restored snapshot "${name}".`));
      }),
    );

  verb(noun, 'list', 'List the snapshots.', 'layaway snapshots list').action(
    run(async (cli) => {
      const answer = await cli.client.call(listSnapshots, WHOLE_LIST);
      await cli.show(answer, async (data) => {
        if (data.length === 0) return cli.out.note(NONE);
        const now = Date.parse(String(answer.headers.date));
        cli.out.table(
          [{ title: 'SNAPSHOT' }, { title: 'SAVED' }, { title: 'SIZE', figures: true }],
          data.map(({ name, created_at, bytes }) => [name, when(created_at, now), kilobytes(bytes)]),
        );
      });
    }),
  );

  verb(noun, 'delete <name>', 'Delete a snapshot.', 'layaway snapshots delete before-default')
    .option('--yes', 'do not ask')
    .action(
      run(async (cli, given: string | undefined, flags: { yes?: boolean }) => {
        const name = await chooseSnapshot(cli, given);
        await confirmed(`Delete the snapshot ${name}?`, flags);
        const answer = await cli.client.call(deleteSnapshot, { params: { name } }).catch(orNamed(cli, name));
        await cli.show(answer, () => cli.out.note(`Deleted snapshot "${name}".`));
      }),
    );
}

const kilobytes = (bytes: number) => `${grouped(Math.ceil(bytes / 1024))} KiB`;

const NONE = 'There are no snapshots. Save one with `layaway snapshots save <name>`.';

/** If no snapshot has that name, the message lists those that exist. */
const orNamed =
  ({ client }: Cli, name: string) =>
  async (error: unknown): Promise<never> => {
    if (!(error instanceof Refused && error.status === 404)) throw error;
    const names = (await client.call(listSnapshots, WHOLE_LIST)).body.data.map((snapshot) => snapshot.name);
    const hint = names.length === 0 ? NONE : suggestion(name, names);
    throw new Refused(error.status, error.body, error.message, { hint });
  };

const chooseSnapshot = ({ client }: Cli, given: string | undefined) =>
  chosen(given, 'Missing snapshot name. List the snapshots with `layaway snapshots list`.', {
    message: 'Which snapshot?',
    none: NONE,
    choices: async () => (await client.call(listSnapshots, WHOLE_LIST)).body.data.map(({ name }) => [name]),
  });
