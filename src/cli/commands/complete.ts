import type { Command } from 'commander';
import { ASSUMPTIONS, type Assumption } from '../../domain/assumptions.ts';
import { LIST_DEFAULT } from '../../domain/limits.ts';
import { listEmails } from '../../operations/emails.ts';
import { listEvents } from '../../operations/events.ts';
import { listFaults } from '../../operations/faults.ts';
import { listKeys } from '../../operations/keys.ts';
import { WHOLE_LIST } from '../../operations/list-query.ts';
import { listSessions } from '../../operations/sessions.ts';
import { listDeliveries, listWebhookEndpoints } from '../../operations/webhooks.ts';
import { listMerchants, listSnapshots } from '../../operations/workspace.ts';
import { run } from '../command.ts';
import { describe } from '../describe.ts';
import { isAssumption } from '../input/assign.ts';
import { isLive } from '../server/address.ts';
import type { Client } from '../server/client.ts';
import { contractsToOffer } from '../server/contracts.ts';
import { rest } from '../wait.ts';

interface Item {
  readonly value: string;
  readonly about: string;
}

const TIMEOUT_MS = 1500;

/** Prints ids for the completion in shells, one per line: the id, a tab, and what a person knows it by. */
export default function complete(command: Command) {
  describe(command, 'List ids of the server for shell completion.', 'layaway __complete contracts')
    .argument('<kind>')
    .action(
      run(async ({ client, out }, kind: string) => {
        // An error message would only disturb the line that is being typed.
        const items = await Promise.race([list(client, kind).catch(() => []), rest(TIMEOUT_MS)]);
        for (const { value, about } of items ?? []) {
          // Shells expand what they get, so only the characters of ids may reach them.
          if (/^[\w.-]+$/.test(value)) out.fields([value, about]);
        }
        process.exit(0);
      }),
    );
}

async function list(client: Client, asked: string): Promise<Item[]> {
  const [kind = '', of = ''] = asked.split(':');
  if (kind === 'values') return valuesOf(of);
  if (kind === 'verbs') return verbsOf(of);
  // Nobody who presses Tab means to use a live key.
  if (kind !== 'profiles' && isLive((await client.address()).apiKey)) return [];
  return (await LOOKS[kind]?.(client)) ?? [];
}

/** The values of an assumption that has only a few. */
function valuesOf(name: string): Item[] {
  if (!isAssumption(name)) return [];
  const assumption: Assumption = ASSUMPTIONS[name];
  const words =
    assumption.kind === 'boolean' ? ['true', 'false'] : assumption.kind === 'choice' ? assumption.values : [];
  return words.map((word) => item(word, name));
}

/** The verbs of a noun that have a schema. */
async function verbsOf(noun: string): Promise<Item[]> {
  const { WITH_SCHEMA } = await import('../machine/outputs.ts');
  const paths = WITH_SCHEMA.map((path) => path.split(' '));
  return paths.flatMap(([first, verb]) => (first === noun && verb !== undefined ? [item(verb, noun)] : []));
}

const item = (value: string, ...facts: readonly (string | null)[]): Item => ({
  value,
  about: facts.filter(Boolean).join(', '),
});

const LOOKS: Readonly<Record<string, (client: Client) => Promise<Item[]>>> = {
  async sessions(client) {
    const { data } = (await client.call(listSessions, { query: { limit: 100 } })).body;
    return data.map(({ id, status, order_reference }) => item(id, status, order_reference));
  },
  async contracts(client) {
    const found = await contractsToOffer(client, { limit: LIST_DEFAULT, pages: 1 });
    return found.map((one) => item(one.reference, one.status, one.order_reference, one.customer_name));
  },
  async webhooks(client) {
    const { data } = (await client.call(listWebhookEndpoints, WHOLE_LIST)).body;
    return data.map(({ id, url }) => item(id, url));
  },
  async deliveries(client) {
    const { data } = (await client.call(listDeliveries, { query: { limit: 50 } })).body;
    return data.map(({ id, event_type, status, url }) => item(id, event_type, status, url));
  },
  async events(client) {
    const { data } = (await client.call(listEvents, { query: { limit: 50 } })).body;
    return data.map(({ id, type }) => item(id, type));
  },
  async emails(client) {
    const { data } = (await client.call(listEmails, { query: { limit: 50 } })).body;
    return data.map(({ id, subject }) => item(id, subject));
  },
  async keys(client) {
    const { data } = (await client.call(listKeys, WHOLE_LIST)).body;
    return data.map(({ id, name, key_prefix }) => item(id, name, key_prefix));
  },
  async faults(client) {
    const { data } = (await client.call(listFaults, WHOLE_LIST)).body;
    return data.map(({ id, kind, operation, event }) => item(id, kind, operation, event));
  },
  async snapshots(client) {
    const { data } = (await client.call(listSnapshots, WHOLE_LIST)).body;
    return data.map(({ name, created_at }) => item(name, created_at));
  },
  async merchants(client) {
    const { data } = (await client.call(listMerchants, WHOLE_LIST)).body;
    return data.map(({ id, legal_name, dba }) => item(id, legal_name, dba));
  },
  /** Of everything that `explain` explains and the server lists. */
  async explain(client) {
    const kinds = ['contracts', 'sessions', 'events', 'deliveries', 'emails', 'webhooks'];
    return (await Promise.all(kinds.map((kind) => LOOKS[kind]?.(client) ?? []))).flat();
  },
  async profiles() {
    const { readProfiles } = await import('../server/profiles.ts');
    return readProfiles().names.map((value) => item(value, 'profile'));
  },
};
