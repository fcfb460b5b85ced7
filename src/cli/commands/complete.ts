import type { Command } from 'commander';
import { isLive } from '../address.ts';
import type { Client } from '../client.ts';
import { run } from '../command.ts';
import { describe } from '../describe.ts';
import { rest } from '../patience.ts';

interface Item {
  readonly value: string;
  readonly about: string;
}

type Listed = Record<string, string | null>;

/** Nobody waits longer for a completion. */
const PATIENCE_MS = 1500;

/** What the shells ask for when an id is to be completed: one a line, a tab, and what a person knows it by. */
export default function complete(command: Command) {
  describe(command, 'List what the server has, for shell completion.', 'layaway __complete contracts')
    .argument('<kind>')
    .action(
      run(async ({ client, out }, kind: string) => {
        // A shell in the middle of a line has no use for an error.
        const items = await Promise.race([list(client, kind).catch(() => []), rest(PATIENCE_MS)]);
        for (const { value, about } of items ?? []) {
          // Shells expand what they are given: nothing but what ids are made of may reach them.
          if (/^[\w.-]+$/.test(value)) out.fields([value, about]);
        }
        process.exit(0);
      }),
    );
}

async function list(client: Client, kind: string): Promise<Item[]> {
  // Nobody who presses Tab means to use a live key.
  if (kind !== 'profiles' && isLive((await client.address()).apiKey)) return [];
  return (await LOOKS[kind]?.(client)) ?? [];
}

const listed =
  (path: string, item: (row: Listed) => Item) =>
  async (client: Client): Promise<Item[]> =>
    (await client.get<Listed[]>(path)).body.data.map(item);

const by =
  (id: string, ...facts: string[]) =>
  (row: Listed): Item => ({
    value: String(row[id]),
    about: facts
      .map((fact) => row[fact])
      .filter(Boolean)
      .join(', '),
  });

const LOOKS: Readonly<Record<string, (client: Client) => Promise<Item[]>>> = {
  sessions: listed('/_sim/sessions?limit=100', by('id', 'status', 'order_reference')),
  contracts: listed('/v1/contracts', by('reference', 'status', 'order_reference', 'customer_name')),
  webhooks: listed('/_sim/webhook-endpoints', by('id', 'url')),
  events: listed('/_sim/events?limit=50', by('id', 'type')),
  emails: listed('/_sim/emails?limit=50', by('id', 'subject')),
  keys: listed('/_sim/keys', by('id', 'name', 'key_prefix')),
  snapshots: listed('/_sim/snapshots', by('name', 'created_at')),
  async profiles() {
    const { openProfiles } = await import('../profiles.ts');
    return (await openProfiles()).names.map((value) => ({ value, about: 'profile' }));
  },
};
