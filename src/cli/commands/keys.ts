import type { Command } from 'commander';
import { SCOPES, type Scope } from '../../domain/scope.ts';
import { createKey, listKeys, revokeKey } from '../../operations/keys.ts';
import { WHOLE_LIST } from '../../operations/list-query.ts';
import { type Cli, run, verb } from '../command.ts';
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
    .option('--scopes <list>', `scopes of the key: ${SCOPES.join(', ')} (default: all); repeatable`, list)
    .option('--name <text>', 'name of the key')
    .action(
      run(async (cli, { scopes, name }: { scopes?: Scope[]; name?: string }) => {
        const answer = await cli.client.callOrToken(createKey, { body: { scopes, name } });
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
      const answer = await cli.client.callOrToken(listKeys, WHOLE_LIST);
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
          data.map(({ id, name, key_prefix, scopes, revoked_at }) => [
            id,
            name,
            `${key_prefix}…`,
            scopesOf(scopes),
            when(revoked_at, now),
          ]),
        );
      });
    }),
  );

  verb(noun, 'revoke <id>', 'Revoke a key permanently.', 'layaway keys revoke key_01JGFJJZ00R8T4M2X7C9VQKD3N')
    .option('--yes', 'do not ask')
    .action(run(revoke));
}

async function revoke(cli: Cli, id: string | undefined, flags: { yes?: boolean }) {
  const keyId = await chosen(id, 'Missing key id. List the keys with `layaway keys list`.', {
    message: 'Which key?',
    none: 'There are no keys to revoke.',
    choices: async () =>
      (await cli.client.callOrToken(listKeys, WHOLE_LIST)).body.data
        .filter((key) => key.revoked_at === null)
        .map((key) => [key.id, key.name, `${key.key_prefix}…`]),
  });
  const { clientId, apiKey, baseUrl } = await cli.client.address();
  const listed = (await cli.client.callOrToken(listKeys, WHOLE_LIST)).body.data;
  const isOwn = listed.some((key) => key.id === keyId && apiKey.startsWith(key.key_prefix));
  const own = `This command itself uses ${keyId}`;
  await confirmed(
    isOwn ? `${own}. Revoke it and lose access with it?` : `Revoke ${keyId}? This cannot be undone.`,
    flags,
  );
  const answer = await cli.client.callOrToken(revokeKey, { params: { id: keyId } });
  await cli.show(answer, () => cli.out.note(`Revoked ${keyId}.`));
  if (!isOwn) return;
  cli.out.note(
    `${own}, so the key is refused from now on. For another, run \`layaway keys create --client-id ${clientId}\` with the control token of ${baseUrl}.`,
  );
}

const scopesOf = (scopes: readonly Scope[]) => (scopes.length === SCOPES.length ? 'all' : scopes.join(' '));
