import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test } from 'vitest';
import { TOOLS } from '../../../src/cli/machine/tools.ts';
import { createClient, createSimulator } from '../../../src/index.ts';
import { CONTROL_OPERATIONS, SERVICE_OPERATIONS } from '../../../src/operations/index.ts';
import { bin, emptyPlace, type Place, runner, startReady, withSimulator } from '../layaway.ts';

/** A client of another make, as a program that calls tools has one; it checks each answer against the tool's schema. */
async function connect({ cwd, env }: Place, ...flags: string[]) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, 'mcp', ...flags],
    cwd,
    env: { PATH: String(process.env.PATH), ...env },
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (data) => {
    stderr += data;
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    transport,
    stderr: () => stderr,
    async call(name: string, given: Record<string, unknown> = {}) {
      const answer = await client.callTool({ name, arguments: given }, CallToolResultSchema);
      // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
      return answer as { isError?: boolean; content: { text: string }[]; structuredContent?: any };
    },
  };
}

describe('layaway mcp', () => {
  test('a session, a plan and two failed payments, through tools alone', async () => {
    await using cli = await withSimulator();
    const { call } = await connect(cli.place);
    const opened = await call('sessions_create', {
      order_reference: 'A-1',
      total_amount: 20_000,
      return_url: 'https://example.com/return',
      cancel_url: 'https://example.com/cancel',
      idempotency_key: 'one',
    });
    const { id } = opened.structuredContent.data;
    const reused = await call('sessions_create', {
      order_reference: 'A-2',
      total_amount: 20_000,
      return_url: 'https://example.com/return',
      cancel_url: 'https://example.com/cancel',
      idempotency_key: 'one',
    });
    expect(reused).toMatchObject({ isError: true });
    const plan = await call('sessions_complete', { id, customer_name: 'Ada', customer_email: 'ada@example.com' });
    const { reference } = plan.structuredContent.data;
    await call('contracts_outcomes', { reference, outcomes: ['fail', 'fail'] });
    const moved = await call('clock_advance', { until: `${reference}#1=past_due` });
    expect(moved.structuredContent.data.happened.map(({ type }: { type: string }) => type)).toContain(
      'installment.past_due',
    );
    const { structuredContent } = await call('contracts_get', { reference });
    expect(structuredContent).toEqual({ data: await cli.sim.default.contracts.get(reference) });
    expect((await call('emails_list', { to: 'ada@example.com' })).structuredContent.data).not.toEqual([]);
  });

  test('a store connects with what the instructions and the tools tell, also to a simulator in memory', async () => {
    await using cli = await withSimulator();
    for (const { client, call } of [await connect(cli.place), await connect(await emptyPlace(), '--memory')]) {
      const baseUrl = /reaches it at (http:\S+),/.exec(client.getInstructions() ?? '')?.[1] ?? '';
      const clientId = (await call('merchant_ping')).structuredContent.data.client_id;
      const apiKey = (await call('keys_create', { name: 'store' })).structuredContent.data.key;
      const store = createClient({ baseUrl, clientId, apiKey });
      expect(await store.ping()).toMatchObject({ client_id: clientId });
    }
  });

  test('interface §1: sessions_create fills in the two URLs, as the command does', async () => {
    await using cli = await withSimulator();
    const { call } = await connect(cli.place);
    const opened = await call('sessions_create', { order_reference: 'A-1', total_amount: 20_000 });
    expect(opened.structuredContent.data).toMatchObject({
      return_url: 'https://example.com/return',
      cancel_url: 'https://example.com/cancel',
    });
  });

  test('null is a value where the field has it, and otherwise no value', async () => {
    await using cli = await withSimulator();
    const { call } = await connect(cli.place);
    const added = await call('faults_add', { kind: 'error', times: null, status: null });
    expect(added.structuredContent.data.times).toBeNull();
    await call('assumptions_set', { dba: 'Ada’s' });
    await call('assumptions_set', { dba: null, min_order_amount: null });
    expect((await call('assumptions_list')).structuredContent.data.dba).toBeNull();
    expect((await call('events_list', { limit: 1, after: null })).structuredContent.data).toEqual([]);
  });

  test('a refusal, a missing and an unknown argument are answers that say what to change', async () => {
    await using cli = await withSimulator();
    const { call } = await connect(cli.place);
    const body = {
      order_reference: 'A-1',
      total_amount: 1,
      return_url: 'https://a.example',
      cancel_url: 'https://a.example',
    };
    const refused = await call('sessions_create', body);
    expect(refused.isError).toBe(true);
    expect(JSON.parse(refused.content[0]?.text ?? '').errors).toHaveProperty('total_amount');
    expect(await call('contracts_get')).toMatchObject({
      isError: true,
      content: [{ text: 'Missing argument reference.' }],
    });
    const two = await call('sessions_create', { return_url: 'https://a.example' });
    expect(two.content[0]?.text).toBe('Missing arguments order_reference, total_amount.');
    const none = await call('contracts_settle', { reference: null, number: null });
    expect(none.content[0]?.text).toBe('Missing arguments reference, number.');
    const unknown = await call('contracts_get', { reference: 'LAY-1', id: '7' });
    expect(unknown.content[0]?.text).toBe('Unknown argument id. contracts_get takes: reference.');
    const several = await call('emails_list', { to: ['ada@example.com', 'ben@example.com'] });
    expect(several.content[0]?.text).toBe('The argument to must be one value, not a list or an object.');
    const keyed = await call('sessions_create', { ...body, idempotency_key: { of: 'A-1' } });
    expect(keyed.content[0]?.text).toBe('The argument idempotency_key must be one value, not a list or an object.');
    expect(await call('contracts_get', { reference: 'LAY-1' })).toMatchObject({ isError: true });
    const cut = (argument: string) => ({
      isError: true,
      content: [
        { text: `The argument ${argument} contains half of a character, such as an emoji that was cut in two.` },
      ],
    });
    expect(await call('contracts_get', { reference: '\ud800' })).toMatchObject(cut('reference'));
    const half = { ...body, total_amount: 20_000, metadata: { gift: '🎁'.slice(0, 1) } };
    expect(await call('sessions_create', half)).toMatchObject(cut('metadata'));
    const whole = { ...half, metadata: { gift: '🎁', escape: '\\ud83c' } };
    expect(await call('sessions_create', whole)).not.toHaveProperty('isError');
    const [key] = await cli.sim.default.keys.list();
    await cli.sim.default.keys.revoke(key?.id ?? '');
    expect(await call('contracts_get', { reference: 'LAY-1' })).toMatchObject({
      isError: true,
      content: [{ text: '{"message":"Unauthenticated."}' }, { text: expect.stringContaining('The key came from') }],
    });
    await expect(call('refund')).rejects.toThrow(/There is no tool refund\. Available: merchant_ping, .*logs_get\.$/);
    await expect(call('contracts_cancl')).rejects.toThrow('Did you mean contracts_cancel?');
  });

  test.each([[''], ['--memory']])('after its key was revoked, keys can be listed and made: mcp %s', async (flag) => {
    await using cli = await withSimulator();
    const { call } = await connect(cli.place, ...(flag === '' ? [] : [flag]));
    const [first] = (await call('keys_list')).structuredContent.data;
    await call('keys_revoke', { id: first.id });
    expect(await call('clock_show')).toMatchObject({ isError: true });
    const { id, key } = (await call('keys_create', { name: 'second' })).structuredContent.data;
    expect(key).toMatch(/^sk_test_/);
    const listed = (await call('keys_list')).structuredContent.data;
    expect(
      listed.map((each: { id: string; revoked_at: string | null }) => [each.id, each.revoked_at === null]),
    ).toEqual([
      [id, true],
      [first.id, false],
    ]);
  });

  test('a server that starts again, on another port and with other keys, is found', async () => {
    const place = await emptyPlace();
    const serve = (seed: string) => startReady(place, ['serve', '--port', '0', '--json', '--memory', '--seed', seed]);
    const first = await serve('1');
    const { call } = await connect(place);
    expect((await call('clock_show')).isError).toBeUndefined();
    await first.stop();
    expect((await call('clock_show')).isError).toBe(true);
    const second = await serve('2');
    expect((await call('clock_show')).structuredContent.data).toHaveProperty('now');
    await second.stop();
  });

  test('when its server has ended, no other server is moved in its place', async () => {
    const place = await emptyPlace();
    const server = await startReady(place, ['serve', '--port', '0', '--json', '--memory']);
    const { call } = await connect(place);
    expect((await call('clock_show')).isError).toBeUndefined();
    await server.stop();
    await using other = await createSimulator();
    await runner(place)('config', 'set', 'base-url', other.url);
    const { isError, content } = await call('sessions_create', { order_reference: 'A-1', total_amount: 20_000 });
    expect(isError).toBe(true);
    expect(content[0]?.text).toContain(`Nothing answers at ${JSON.parse(server.ready).base_url}.`);
    expect(await other.default.sessions.list()).toEqual([]);
  });

  test('--memory starts one in memory, which ends with the client', async () => {
    await using cli = await withSimulator();
    const { call, stderr, client, transport } = await connect(cli.place, '--memory');
    expect((await call('merchant_ping')).structuredContent.data.layaway).toMatchObject({ available: true });
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(stderr()) ?? [];
    expect((await fetch(`${url}/_sim/health`)).status).toBe(200);
    const closed = new Promise<void>((resolve) => {
      transport.onclose = resolve;
    });
    await client.close();
    await closed;
    await expect(fetch(`${url}/_sim/health`)).rejects.toThrow();
  });
});

test('a signal ends it with 0', async () => {
  const { cwd, env } = await emptyPlace();
  const child = execa(process.execPath, [bin, 'mcp', '--memory'], { cwd, env, reject: false });
  await once(child.stderr, 'data');
  child.kill('SIGTERM');
  expect(await child).toMatchObject({ exitCode: 0, stdout: '' });
});

const ask = (id: number, method: string, params: object) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
const greeting = [
  ask(1, 'initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  }),
  `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`,
].join('');

test('a client that reads late gets every response whole', async () => {
  const { cwd, env } = await emptyPlace();
  const child = spawn(process.execPath, [bin, 'mcp', '--memory'], { cwd, env: { PATH: process.env.PATH, ...env } });
  onTestFinished(() => void child.kill());
  const [said] = await once(child.stderr.setEncoding('utf8'), 'data');
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
  const ids = Array.from({ length: 20 }, (_, index) => index + 2);
  child.stdin.end([greeting, ...ids.map((id) => ask(id, 'tools/list', {}))].join(''));
  const isUp = () =>
    fetch(`${url}/_sim/health`).then(
      () => true,
      () => false,
    );
  await expect.poll(isUp, { timeout: 10_000 }).toBe(false);
  const stdout = await text(child.stdout);
  const answers = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers.map(({ id }) => id)).toEqual([1, ...ids]);
});

test('what was asked before the pipe was closed is answered', async () => {
  await using cli = await withSimulator();
  const input = [greeting, ask(2, 'tools/call', { name: 'clock_show', arguments: {} })].join('');
  const { stdout, exitCode } = await execa(process.execPath, [bin, 'mcp'], { ...cli.place, extendEnv: false, input });
  const answers = stdout.split('\n').map((line) => JSON.parse(line));
  expect(answers.map(({ id }) => id)).toEqual([1, 2]);
  expect(answers[1].result.structuredContent.data).toHaveProperty('now');
  expect(exitCode).toBe(0);
});

test('every tool is named <noun>_<verb>, described, and takes the field names of its operation', async () => {
  const { client } = await connect(await emptyPlace(), '--memory');
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(Object.keys(TOOLS));
  for (const { name, description, inputSchema, outputSchema } of tools) {
    expect(name).toMatch(/^[a-z]+_[a-z]+$/);
    expect(description, name).toMatch(/\.$/);
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(outputSchema?.type).toBe('object');
  }
  const settle = tools.find(({ name }) => name === 'contracts_settle');
  expect(settle?.inputSchema.properties).toMatchObject({ reference: { type: 'string' }, number: { type: 'integer' } });
  const create = tools.find(({ name }) => name === 'sessions_create');
  expect(create?.inputSchema.required).toEqual(['order_reference', 'total_amount']);
  expect(create?.description).toContain('Send an `idempotency_key`:');
  expect(create?.inputSchema.properties).toMatchObject({ return_url: { default: 'https://example.com/return' } });
  // A client that cancels a call, or gives up waiting, does not learn otherwise that the clock moves on.
  expect(tools.find(({ name }) => name === 'clock_advance')?.description).toContain(
    'goes on until it is done or stopped',
  );
  const make = tools.find(({ name }) => name === 'contracts_create');
  expect(make?.inputSchema.properties).toMatchObject({ installment: { additionalProperties: false } });
});

test('a tool says which of its arguments exclude each other, and what is used without them', async () => {
  const { client } = await connect(await emptyPlace(), '--memory');
  const { tools } = await client.listTools();
  const described = (each: string) => tools.find(({ name }) => name === each)?.inputSchema.description;
  expect(described('clock_advance')).toBe('Exactly one of `by`, `to`, `next` and `until`.');
  expect(described('faults_add')).toContain('Defaults: `times` 1');
  expect(described('clock_show')).toBeUndefined();
});

test('only tools that change nothing when they are called again tell so', async () => {
  const { client } = await connect(await emptyPlace(), '--memory');
  const { tools } = await client.listTools();
  const writing = tools.filter(({ annotations }) => !annotations?.readOnlyHint);
  expect(writing.filter(({ annotations }) => annotations?.idempotentHint).map(({ name }) => name)).toEqual([
    ...['contracts_update', 'contracts_cancel', 'contracts_outcomes', 'clock_freeze', 'clock_resume'],
    ...['webhooks_update', 'webhooks_remove', 'faults_remove', 'faults_clear', 'coverage_clear'],
    ...['assumptions_set', 'keys_revoke'],
  ]);
});

test('only tools that read or create tell that they destroy nothing', async () => {
  const { client } = await connect(await emptyPlace(), '--memory');
  const { tools } = await client.listTools();
  const names = (isWanted: (hints: NonNullable<(typeof tools)[number]['annotations']>) => boolean) =>
    tools.filter(({ annotations = {} }) => isWanted(annotations)).map(({ name }) => name);
  expect(names(({ readOnlyHint, destructiveHint }) => !readOnlyHint && destructiveHint === false)).toEqual([
    ...['sessions_create', 'contracts_create', 'faults_add', 'keys_create'],
  ]);
  expect(names(({ destructiveHint }) => destructiveHint === true)).toEqual([
    ...['sessions_accept', 'sessions_pay', 'sessions_complete', 'sessions_cancel'],
    ...['contracts_update', 'contracts_cancel', 'contracts_outcomes', 'contracts_settle'],
    ...['clock_advance', 'clock_stop', 'clock_freeze', 'clock_resume', 'events_resend'],
    ...['webhooks_add', 'webhooks_update', 'webhooks_remove', 'webhooks_rotate', 'webhooks_test'],
    ...['faults_remove', 'faults_clear', 'coverage_clear', 'assumptions_set', 'keys_revoke'],
  ]);
});

/** These answer no JSON document, tell a secret, or are made for one caller. */
const NOT_FOR_TOOLS =
  /^(stream|browse|getEmailPage|getEmailFrame|reportDelivery|getHostedSession|previewSession|openSession|endContract|readWebhookSecret)/;

test('every operation of an account is a tool, or one of few that are not for tools', () => {
  const operations = [...SERVICE_OPERATIONS, ...CONTROL_OPERATIONS].filter(({ auth }) => auth === 'account');
  const tools = new Set(Object.values(TOOLS).map(({ operationId }) => operationId));
  const without = operations.map(({ operationId }) => operationId).filter((id) => !tools.has(id as never));
  expect(
    without.filter((id) => !NOT_FOR_TOOLS.test(id)),
    'Add it to TOOLS in cli/machine/tools.ts, or to NOT_FOR_TOOLS',
  ).toEqual([]);
});
