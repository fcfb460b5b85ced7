import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect } from 'vitest';
import { createSimulator, type SandboxShop, type Simulator } from '../../src/index.ts';
import { emptyPlace, otherServer } from './layaway.ts';

/** A title for the window, a C1 colour, a text turned round, a mark of its own for each direction, a line that is faked. */
export const EVIL =
  '\u001b]0;PWN\u0007\u001b[31m\u009b32m\u202e\u2066\u200f\u061c\u007f\u2028\r\n\tfaked: yes\u001b[2J';
const RAW = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;

export type Poison = (value: string | number) => unknown;
export const AFTER: Poison = (value) => (typeof value === 'string' ? value + EVIL : value);
export const BEFORE: Poison = (value) => (typeof value === 'string' ? `\u0000${EVIL}${value}` : value);
export const NUMBERS: Poison = (value) => (typeof value === 'number' ? `${value}${EVIL}` : value);

/** Every text, and in each object a key more. */
function poisoned(value: unknown, poison: Poison): unknown {
  if (typeof value === 'string' || typeof value === 'number') return poison(value);
  if (Array.isArray(value)) return value.map((item) => poisoned(item, poison));
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.entries(value).map(([key, each]) => [key, USED.test(key) ? each : poisoned(each, poison)]);
  return Object.fromEntries([...inner, [EVIL, EVIL]]);
}

/** A scenario goes on with the pair of its merchant: a header that HTTP refuses would end it too early. */
const USED = /^(client_id|api_key)$/;

const REFUSAL = { message: `No.${EVIL}`, errors: { [EVIL]: [EVIL] }, reason: EVIL };

/** A simulator with one of everything, and in front of it a server that poisons what it answers. */
async function hostile() {
  const sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
  let poison: Poison | 'refuse' = AFTER;
  const server = await otherServer((request, response) => void answer(request, response));

  async function answer(request: IncomingMessage, response: ServerResponse) {
    // Ids come back as they were sent; the simulator knows them without the trap.
    const path = String(request.url).replaceAll(new URLSearchParams({ '': EVIL }).toString().slice(1), '');
    const body = Buffer.concat(await request.toArray());
    if (poison === 'refuse' && path !== '/_sim/health') {
      response.writeHead(422, { 'content-type': 'application/json' }).end(JSON.stringify(REFUSAL));
      return;
    }
    const change = poison === 'refuse' ? AFTER : poison;
    if (path.endsWith('/stream')) return stream(path, response, change);
    // Whoever follows the events begins with the first.
    if (path === '/_sim/events?limit=1') return response.end('{"data":[]}');
    const real = await fetch(`${sim.url}${path}`, {
      method: request.method as string,
      headers: request.headers as Record<string, string>,
      ...(body.length > 0 ? { body } : {}),
    });
    const text = await real.text();
    response.writeHead(real.status, { 'content-type': 'application/json', date: String(real.headers.get('date')) });
    if (path === '/_sim/health' || text === '') return response.end(text);
    // Pretty-printed with what JSON allows between its texts, and its texts unescaped beyond what JSON demands.
    response.end(JSON.stringify(poisoned(JSON.parse(text), change), null, '\t').replaceAll('\n', '\r\n'));
  }

  function stream(path: string, response: ServerResponse, change: Poison) {
    const event = {
      id: 'evt_1',
      type: 'webhook.test',
      created_at: '2026-01-01T00:00:00Z',
      data: { reference: 'LAY-1' },
    };
    const letter = {
      delivery_id: 'dlv_1',
      url: 'u',
      attempt: 1,
      headers: {},
      body: JSON.stringify(poisoned(event, change)),
    };
    const data = poisoned(
      path.includes('webhook-endpoints') ? { ...letter, body: undefined } : event,
      change,
    ) as object;
    const whole = path.includes('webhook-endpoints') ? { ...data, body: letter.body } : data;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`id: ${EVIL.replaceAll(/[\r\n]/g, '')}\ndata: ${JSON.stringify(whole)}\n\n`);
  }

  return {
    sim,
    url: server.url,
    answers(how: Poison | 'refuse') {
      poison = how;
    },
    async close() {
      await server[Symbol.asyncDispose]();
      await sim.close();
    },
  };
}

interface Made {
  readonly session: string;
  readonly contract: string;
  readonly endpoint: string;
  readonly delivery: string;
  readonly event: string;
  readonly email: string;
  readonly key: string;
  readonly merchant: string;
  readonly fault: string;
  /** The same simulator, without the poison. */
  readonly sound: string;
  readonly hostile: string;
}

async function furnish({ sim, url }: { sim: Simulator; url: string }): Promise<Made> {
  const shop: SandboxShop = sim.default;
  const done = await shop.sessions.create({ order_reference: 'A-1', total_amount: 20_000, metadata: { cart: '7' } });
  const endpoint = await shop.webhooks.add('http://127.0.0.1:1/hook');
  const { reference } = await shop.sessions.complete(done.id, { customer_email: 'ada@example.com' });
  const fault = await shop.faults.add({ kind: 'slow', path: '/v1/ping', skip: 1000 });
  const open = await shop.sessions.create({ order_reference: 'A-2', total_amount: 20_000 });
  await shop.clock.advance('0s');
  await sim.snapshots.save('one');
  const [[email], [event], [delivery], key] = await Promise.all([
    shop.emails.list(),
    shop.events.list(),
    shop.webhooks.deliveries(),
    shop.keys.create(),
  ]);
  const merchants = await fetch(`${sim.url}/_sim/merchants`, {
    headers: { authorization: `Bearer ${sim.controlToken}` },
  });
  const [merchant] = ((await merchants.json()) as { data: { id: string }[] }).data;
  return {
    session: open.id,
    contract: reference,
    endpoint: endpoint.id,
    delivery: String(delivery?.id),
    event: String(event?.id),
    email: String(email?.id),
    key: key.id,
    merchant: String(merchant?.id),
    fault: fault.id,
    sound: sim.url,
    hostile: url,
  };
}

export type Hostile = Awaited<ReturnType<typeof openHostile>>;

/** A hostile server with something in every list, and a place whose environment leads to it. */
export async function openHostile() {
  const enemy = await hostile();
  const made = await furnish(enemy);
  await enemy.sim.snapshots.save('furnished');
  const { LAYAWAY_BASE_URL: _, ...env } = enemy.sim.default.env;
  const place = await emptyPlace({ ...env, LAYAWAY_BASE_URL: enemy.url, BROWSER: '/bin/true' } as Record<
    string,
    string
  >);
  return { enemy, made, place };
}

export function expectHarmless({ stdout, stderr }: { stdout: string; stderr: string }, allowed = '\n') {
  for (const text of [stdout, stderr]) {
    const raw = [...text].filter((character) => RAW.test(character) && !allowed.includes(character));
    expect(raw, JSON.stringify(text)).toEqual([]);
    expect(text).not.toMatch(/^\s*faked: yes/m);
  }
}
