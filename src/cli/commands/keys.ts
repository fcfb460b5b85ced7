import type { Command } from 'commander';
import { SCOPES, type Scope } from '../../domain/scope.ts';
import { createKey, listKeys, revokeKey } from '../../operations/keys.ts';
import { run, verb } from '../command.ts';
import { describe } from '../describe.ts';
import { list } from '../input/arguments.ts';
import { when } from '../terminal/format.ts';
import { chosen, confirmed } from '../terminal/prompt.ts';

export default function keys(noun: Command) {
  describe(noun, 'Create, list and revoke API keys of the account.', 'layaway keys create --scopes checkout:read');

  verb(
    noun,
    'create',
    'Create a key; it is shown only once.',
    'layaway keys create --name storefront --scopes checkout:read,checkout:write',
  )
    .option('--scopes <list>', `scopes of the key: ${SCOPES.join(', ')} (default: all)`, list)
    .option('--name <text>', 'name of the key')
    .action(
      run(async (cli, { scopes, name }: { scopes?: Scope[]; name?: string }) => {
        const answer = await cli.client.call(createKey, { body: { scopes, name } });
        await cli.show(answer, (key) => {
          cli.out.facts([
            ['key', key.key ?? '—', cli.out.paint.bold],
            ['id', key.id],
            ['name', key.name],
            ['scopes', key.scopes.join(', ')],
          ]);
          cli.out.note('Store the key now. It is not shown again.');
        });
      }),
    );

  verb(noun, 'list', 'List the keys, newest first.', 'layaway keys list').action(
    run(async (cli) => {
      const answer = await cli.client.call(listKeys);
      await cli.show(answer, async (data) => {
        if (data.length === 0) return cli.out.note('There are no keys.');
        const now = await cli.client.now(answer);
        cli.out.table(
          [
            { title: 'ID' },
            { title: 'NAME', shrinks: true },
            { title: 'KEY' },
            { title: 'SCOPES', shrinks: true },
            { title: 'REVOKED', shrinks: true },
          ],
          data.map((key) => [key.id, key.name, `${key.key_prefix}…`, key.scopes.join(' '), when(key.revoked_at, now)]),
        );
      });
    }),
  );

  verb(noun, 'revoke <id>', 'Revoke a key permanently.', 'layaway keys revoke key_01JGFJJZ00R8T4M2X7C9VQKD3N')
    .option('--yes', 'do not ask')
    .action(
      run(async (cli, id: string | undefined, flags: { yes?: boolean }) => {
        const keyId = await chosen(id, 'Missing key id. List the keys with `layaway keys list`.', {
          message: 'Which key?',
          none: 'There are no keys to revoke.',
          choices: async () =>
            (await cli.client.call(listKeys)).body.data
              .filter((key) => key.revoked_at === null)
              .map((key) => ({ value: key.id, cells: [key.id, key.name, `${key.key_prefix}…`] })),
        });
        await confirmed(`Revoke ${keyId}? This cannot be undone.`, flags);
        const answer = await cli.client.call(revokeKey, { params: { id: keyId } });
        await cli.show(answer, () => cli.out.note(`Revoked ${keyId}.`));
      }),
    );
}
