import { writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openReceiver } from '../support/receiver.ts';
import { emptyPlace, lines, oneProcess, otherServer, plan, planByCommand, start, startReady } from './layaway.ts';

const { runner, withSimulator } = oneProcess();

describe('interface §2: clock', () => {
  test('show, advance, forecast: a timeline in the order it happened', async () => {
    await using world = await withSimulator();
    const { layaway } = world;
    const { contract } = await plan(world.sim.default);
    expect((await layaway('clock', 'show', '--json')).json.data).toMatchObject({
      now: '2026-01-01T00:00:00.000000Z',
      mode: 'frozen',
    });
    const rehearsal = await layaway('clock', 'advance', '14d', '--dry-run', '--json');
    const forecast = await layaway('clock', 'forecast', '--until', '2026-01-15', '--json');
    expect(forecast.json.data.happened).toEqual(rehearsal.json.data.happened);
    const { stdout, stderr } = await layaway('clock', 'advance', '14d');
    expect(stdout.split('\n')[1]).toMatch(
      new RegExp(`^2026-01-15 00:00:00 UTC {2}now {2}installment.paid {2}${contract}#1$`),
    );
    expect(stderr).toBe('The clock reads 2026-01-15 00:00:00 UTC.');
    const ahead = await layaway('clock', 'advance', '20d', '--dry-run');
    expect(ahead.stdout.split('\n')[1]).toContain('  in 14 days  ');
    expect((await layaway('clock', 'forecast')).stdout.split('\n')[1]).toContain('  in 14 days  ');
    const still = await layaway('clock', 'advance', '1h');
    expect(still).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'Nothing fell due.\nThe clock reads 2026-01-15 01:00:00 UTC.',
    });
    const next = await layaway('clock', 'advance', '--next', '--no-wait', '--json');
    expect(next.json.data).toMatchObject({ now: '2026-01-29T00:00:00.000000Z', webhooks: null });
    const to = await layaway('clock', 'advance', '--to', '2026-02-01T12:00:00Z', '--json');
    expect(to.json.data).toEqual({
      now: '2026-02-01T12:00:00.000000Z',
      happened: [],
      happened_count: 0,
      happened_by_type: {},
      webhooks: { delivered: 0, failed: 0, given_up: 0 },
    });
  });

  test('a timeline of more than 1000 events says that it ends, and where the others are, if they are anywhere', async () => {
    await using world = await withSimulator();
    const { layaway } = world;
    const { assumptions, contracts } = world.sim.default;
    await assumptions.set({ installment_count: 24, installment_cadence: 'weekly' });
    for (let count = 0; count < 41; count += 1) await contracts.create({ webhooks: false });
    const forecast = await layaway('clock', 'forecast');
    expect(forecast.stdout.split('\n')).toHaveLength(1001);
    expect(forecast.stderr).toBe(
      'The list ends after 1000 events. `layaway clock advance <duration> --dry-run` counts all of them.',
    );
    const rehearsal = await layaway('clock', 'advance', '12mo', '--dry-run');
    expect(rehearsal.stderr).toMatch(/^… and 25 more\.\nThe clock would read /);
    const { stderr } = await layaway('clock', 'advance', '12mo');
    const [, after = ''] =
      /^… and 25 more\. List them with `layaway events list --after (evt_\w+)`\.$/m.exec(stderr) ?? [];
    expect((await layaway('events', 'list', '--after', after, '--json')).json.data).toHaveLength(25);
  });

  test('advance tells of webhooks; an attempt that was announced is not "Nothing fell due"', async () => {
    await using world = await withSimulator();
    await using receiver = await openReceiver([500, 500, 500]);
    const { layaway } = world;
    await world.sim.default.assumptions.set({ webhook_retry_seconds: [0, 60, 3600] });
    await world.sim.default.webhooks.add(receiver.url, { events: ['session.expired'] });
    const stderr = async (...args: string[]) => (await layaway('clock', 'advance', ...args)).stderr.split('\n');
    await world.sim.default.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
    const day = await layaway('clock', 'advance', '1h');
    expect(day.stdout).toMatch(/ now +session\.expired /);
    expect(day.stderr).toMatch(/^Webhooks: 0 delivered, 1 attempt failed\. See `layaway webhooks deliveries`\.$/m);

    expect((await layaway('clock', 'show')).stdout).toContain('webhook.attempt');
    expect((await stderr('--next', '--dry-run'))[0]).toMatch(/^A webhook attempt would fall due \(dlv_\w+\)\.$/);
    expect((await stderr('--next'))[0]).toMatch(/^Webhooks: 0 delivered, 1 attempt failed\./);
    expect((await stderr('1d'))[0]).toMatch(/^Webhooks: 0 delivered, 1 attempt failed, 1 given up\./);

    await world.sim.default.sessions.create({ order_reference: 'A-2', total_amount: 20_000 });
    const week = await layaway('clock', 'advance', '1w');
    expect(week.stdout).toMatch(/ 7 days ago +session\.expired /);
    expect(week.stderr).toMatch(/^Webhooks: 1 delivered\.$/m);
  });

  test('freeze and resume', async () => {
    await using world = await withSimulator();
    expect((await world.layaway('clock', 'resume', '--json')).json.data.mode).toBe('running');
    expect((await world.layaway('clock', 'freeze', '--json')).json.data.mode).toBe('frozen');
    expect((await world.layaway('clock', 'show')).stdout).toMatch(/clock +frozen/);
    expect(await world.layaway('clock', 'forecast')).toMatchObject({ code: 0, stdout: '', stderr: 'Nothing is due.' });
  });

  test('interface §1: an --until that cannot be reached ends with 5', async () => {
    await using world = await withSimulator();
    const { contract } = await plan(world.sim.default);
    const human = await world.layaway('clock', 'advance', '--until', `${contract}=defaulted`);
    expect(human).toMatchObject({ code: 5, stdout: '' });
    expect(human.stderr).not.toBe('');
    const { code, json, stderr } = await world.layaway(
      'clock',
      'advance',
      '--until',
      `${contract}=defaulted`,
      '--json',
    );
    expect({ code, stderr }).toEqual({ code: 5, stderr: '' });
    expect(json.errors.until).toHaveLength(1);
  });

  test('backwards is refused with 3', async () => {
    await using world = await withSimulator();
    expect(await world.layaway('clock', 'advance', '--to', '2025-01-01')).toMatchObject({ code: 3, stdout: '' });
  });
});

describe('interface §2: events and emails', () => {
  test('list, get and wait', async () => {
    await using world = await withSimulator();
    const { layaway } = world;
    const { contract, session } = await plan(world.sim.default);
    const shop = world.sim.default;
    const { json } = await layaway('events', 'list', '--json');
    expect(json.data.map(({ type }: { type: string }) => type)).toEqual([
      'session.completed',
      'contract.activated',
      'session.decision_made',
    ]);
    const one = await layaway('events', 'get', json.data[1].id, '--json');
    expect(one.json.data).toMatchObject(json.data[1]);
    // Newer ones of the same types.
    await shop.sessions.complete((await shop.sessions.create({ order_reference: 'A-2', total_amount: 20_000 })).id);
    const after = await layaway('events', 'list', '--after', json.data[0].id, '--limit', '2', '--json');
    expect(after.json.data.map(({ type }: { type: string }) => type)).toEqual([
      'session.decision_made',
      'contract.activated',
    ]);
    const waited = await layaway('events', 'wait', 'contract.activated', '--contract', contract, '--json');
    expect(waited.json.data.id).toBe(json.data[1].id);
    const ofSession = await layaway('events', 'wait', 'session.completed', '--session', session, '--json');
    expect(ofSession.json.data.data.id).toBe(session);
    const ofItsContract = await layaway('events', 'wait', 'contract.activated', '--session', session, '--json');
    expect(ofItsContract.json.data.id).toBe(json.data[1].id);
    const listed = await layaway('events', 'list', '--session', session, '--json');
    expect(listed.json).toEqual(json);
    expect((await layaway('events', 'list')).stdout).toContain(`contract.activated     ${contract}`);
  });

  test('a wait finds the event of its contract, however many others of that type came later', async () => {
    await using world = await withSimulator();
    const shop = world.sim.default;
    await shop.assumptions.set({ installment_count: 24, installment_cadence: 'weekly' });
    const { reference } = await shop.contracts.create({ status: 'completed' });
    for (let count = 0; count < 42; count += 1) await shop.contracts.create({ status: 'completed' });
    const about = ['--contract', reference, '--timeout', '0s', '--json'];
    const { json } = await world.layaway('events', 'wait', 'installment.paid', ...about);
    expect(json.data.data).toMatchObject({ reference, installment: { installment_number: 24 } });
  });

  test('interface §1: a wait that timed out ends with 5 and prints on stderr only', async () => {
    await using world = await withSimulator();
    const about = 'LAY-7K3M9QXAHD';
    const waited = (...words: string[]) => world.layaway(...words, '--timeout', '0s', '--json');
    const event = await waited('events', 'wait', 'contract.cancelled', '--contract', about);
    expect(event).toMatchObject({ code: 5, stdout: '' });
    expect(event.stderr).toBe(`No contract.cancelled of ${about} occurred within 0 seconds.`);
    const email = await waited('emails', 'wait', '--to', 'nobody@example.com', '--reference', about);
    expect(email).toMatchObject({ code: 5, stdout: '' });
    const none = `No email to nobody@example.com about ${about} arrived within 0 seconds.`;
    expect(email.stderr).toBe(`${none} There is no email yet.`);
    const { contract } = await plan(world.sim.default);
    const { stderr } = await waited('emails', 'wait', '--to', 'nobody@example.com', '--reference', about);
    expect(stderr).toMatch(new RegExp(`^${none} The latest is to customer@example\\.com about ${contract}: ".+"\\.$`));
  });

  test('a wait ends when the event happens; what was before --after does not count', async () => {
    await using world = await withSimulator();
    const { layaway, place } = world;
    const first = await plan(world.sim.default);
    await world.sim.default.contracts.cancel(first.contract);
    const newest = (await layaway('events', 'list', '--limit', '1', '--json')).json.data[0].id;
    const waiting = start(place, ['events', 'wait', 'contract.cancelled', '--after', newest, '--json']);
    const second = await plan(world.sim.default);
    await world.sim.default.contracts.cancel(second.contract);
    const { exitCode, stdout } = await waiting;
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout as string).data.data.reference).toBe(second.contract);
  });

  test('a wait survives a reset, and sees what happens after it', async () => {
    await using world = await withSimulator();
    const { layaway, place, sim } = world;
    await plan(world.sim.default);
    await using between = await otherServer(async ({ url = '/', headers }, response) => {
      const { statusCode, body } = await sim.inject({ method: 'GET', url, headers: headers as Record<string, string> });
      response.writeHead(statusCode).end(body);
    });
    const env = { ...place.env, LAYAWAY_BASE_URL: between.url };
    const waiting = start({ ...place, env }, ['events', 'wait', 'session.cancelled', '--json']);
    await expect.poll(() => between.seen.length).toBeGreaterThan(1);
    await layaway('reset', '--yes');
    const opened = await layaway('sessions', 'create', '--order-reference', 'A', '--total-amount', '20000', '--json');
    await layaway('sessions', 'cancel', opened.json.data.id);
    const { exitCode, stdout } = await waiting;
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout as string).data.data.id).toBe(opened.json.data.id);
  });

  test('tail prints the first events of an account once, even those that happen while it connects', async () => {
    await using world = await withSimulator();
    const { sim, place } = world;
    // Something happens just before the stream begins, and again between its beginning and the next list.
    let isFollowed = false;
    await using proxy = await otherServer(async (request, response) => {
      const { method, url = '', headers } = request;
      isFollowed ||= url.includes('/events/stream');
      if (isFollowed) await plan(sim.default);
      const onward = httpRequest(`${sim.url}${url}`, { method, headers, agent: false }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers).flushHeaders();
        answer.pipe(response);
      });
      onward.on('error', () => response.destroy()).end();
      response.on('close', () => onward.destroy());
    });
    const { clientId, apiKey } = sim.default;
    const address = ['--base-url', proxy.url, '--client-id', clientId, '--api-key', apiKey];
    const tail = start(place, ['events', 'tail', '--json', ...address]);
    const next = lines(tail);
    const types: string[] = [];
    while (types.length < 6) types.push(JSON.parse(await next()).type);
    const ofPlan = ['session.decision_made', 'contract.activated', 'session.completed'];
    expect(types).toEqual([...ofPlan, ...ofPlan]);
    const { contract } = await plan(sim.default);
    for (const type of ofPlan) expect(JSON.parse(await next()).type).toBe(type);
    await sim.default.contracts.cancel(contract);
    expect(JSON.parse(await next()).type).toBe('contract.cancelled');
    tail.kill('SIGINT');
    expect((await tail).exitCode).toBe(0);
  });

  test('tail prints each event once, as it happens, and ends with 0', async () => {
    await using world = await withSimulator();
    const { place } = world;
    await plan(world.sim.default);
    const tail = start(place, ['events', 'tail', '--json']);
    const stderr = tail.iterable({ from: 'stderr' })[Symbol.asyncIterator]();
    expect((await stderr.next()).value).toContain('Listening');
    const next = lines(tail);
    const { contract } = await plan(world.sim.default);
    const types = [JSON.parse(await next()), JSON.parse(await next()), JSON.parse(await next())].map(
      ({ type }) => type,
    );
    expect(types).toEqual(['session.decision_made', 'contract.activated', 'session.completed']);
    await world.sim.default.contracts.cancel(contract);
    expect(JSON.parse(await next())).toMatchObject({ type: 'contract.cancelled', data: { reference: contract } });
    tail.kill('SIGINT');
    expect((await tail).exitCode).toBe(0);
  });

  test('tail prints the events of a server that starts again with the same ids', { timeout: 30_000 }, async () => {
    const place = await emptyPlace();
    await writeFile(join(place.cwd, 'fixture.yaml'), 'contracts: [{}]');
    const flags = ['--memory', '--json', '--seed', '1', '--clock', 'frozen', '--now', '2026-01-01T00:00:00Z'];
    const serve = () => startReady(place, ['serve', ...flags, '--fixture', 'fixture.yaml', '--port', '0']);
    const first = await serve();
    const { data } = (await runner(place)('events', 'list', '--json')).json;
    const events = start(place, ['events', 'tail', '--json']);
    await new Promise((resolve) => events.stderr.once('data', resolve));
    await first.kill();

    await using _second = await serve();
    const next = lines(events);
    for (const { id } of data.toReversed()) expect(JSON.parse(await next()).id).toBe(id);
    events.kill('SIGINT');
    expect((await events).exitCode).toBe(0);
  });

  test.each([
    ['the same port', (port: string) => port],
    ['another port', () => '0'],
  ])(
    'tail goes on with the events of a server that starts again without those before, on %s',
    {
      timeout: 30_000,
    },
    async (_where, portAfter) => {
      const place = await emptyPlace();
      const layaway = runner(place);
      const serve = (port: string) => startReady(place, ['serve', '--memory', '--json', '--port', port]);
      const first = await serve('0');
      const port = new URL(JSON.parse(first.ready).base_url).port;
      await planByCommand(layaway);
      const events = start(place, ['events', 'tail', '--json']);
      const requests = start(place, ['logs', 'tail', '--json']);
      await Promise.all(
        [events, requests].map((child) => new Promise((resolve) => child.stderr.once('data', resolve))),
      );
      const [nextEvent, nextRequest] = [lines(events), lines(requests)];
      const { contract } = await planByCommand(layaway);
      for (let n = 0; n < 3; n += 1) await nextEvent();
      const seen = JSON.parse(await nextRequest());
      await first.kill();

      await using _second = await serve(portAfter(port));
      const again = await planByCommand(layaway);
      expect(again.contract).not.toBe(contract);
      const types = [JSON.parse(await nextEvent()), JSON.parse(await nextEvent()), JSON.parse(await nextEvent())];
      expect(types.map(({ type }) => type)).toEqual([
        'session.decision_made',
        'contract.activated',
        'session.completed',
      ]);
      expect(JSON.parse(await nextRequest())).toMatchObject({ method: 'POST', path: '/v1/sessions' });
      expect(seen.id).toBe('req_000000000002');
      for (const child of [events, requests]) {
        child.kill('SIGINT');
        expect((await child).exitCode).toBe(0);
      }
    },
  );

  test('emails list, get and wait', async () => {
    await using world = await withSimulator();
    const { layaway } = world;
    const { contract } = await plan(world.sim.default);
    const { json } = await layaway('emails', 'list', '--to', 'customer@example.com', '--json');
    expect(json.data).toHaveLength(1);
    const waited = await layaway('emails', 'wait', '--to', 'customer@example.com', '--json');
    expect(waited.json.data).toEqual(json.data[0]);
    const shown = await layaway('emails', 'get', json.data[0].id);
    expect(shown.stdout).toContain(json.data[0].subject);
    expect((await layaway('emails', 'list', '--reference', contract)).stdout).toContain(contract);
    expect(await layaway('emails', 'list', '--reference', 'LAY-NONE')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No matching emails.',
    });
    await world.sim.default.contracts.cancel(contract);
    await plan(world.sim.default);
    const [ofAnother, cancelled, first] = await world.sim.default.emails.list();
    const ids = async (...flags: string[]) => {
      const { data } = (await layaway('emails', 'list', ...flags, '--json')).json;
      return data.map(({ id }: { id: string }) => id);
    };
    expect(await ids('--limit', '1')).toEqual([ofAnother?.id]);
    expect(await ids('--after', cancelled?.id ?? '')).toEqual([ofAnother?.id]);
    const second = await layaway('emails', 'wait', '--reference', contract, '--after', first?.id ?? '', '--json');
    expect(second.json.data.id).toBe(cancelled?.id);
  });
});

test.each([
  [
    ['delayed', '--event', 'contract.*', '--endpoint', 'ENDPOINT', '--times', 'always', '--by', '2h'],
    { event: 'contract.*', endpoint_id: 'ENDPOINT', times: null, by: '2h' },
  ],
  [
    ['throttled', '--method', 'POST', '--path', '/v1/sessions', '--skip', '2', '--every', '3', '--retry-after', '7'],
    { method: 'POST', path: '/v1/sessions', times: 1, skip: 2, every: 3, retry_after: 7 },
  ],
  [['slow', '--delay', '1500ms'], { delay_ms: 1500 }],
  [['duplicate', '--copies', '4'], { copies: 4 }],
])('interface §7: faults add %j: each flag is a field of the body', async (args, fields) => {
  await using world = await withSimulator();
  const { id } = await world.sim.default.webhooks.add('http://127.0.0.1:1/');
  const named = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll('ENDPOINT', id));
  const { json } = await world.layaway('faults', 'add', ...named(args), '--json');
  expect(json.data).toMatchObject({ kind: args[0], ...named(fields) });
});

test.each(['forever', '0', '1000001', '1.5'])(
  'interface §7: faults add --times %s is told what it may be',
  async (times) => {
    await using world = await withSimulator();
    const { code, stderr } = await world.layaway('faults', 'add', 'error', '--times', times);
    expect(code).toBe(2);
    expect(stderr).toContain('It must be a whole number from 1 to 1000000, or always.');
  },
);

describe('interface §2: merchants, keys, assumptions, snapshots, reset', () => {
  test('keys: a created key speaks with its scopes until it is revoked', async () => {
    await using world = await withSimulator();
    const { layaway } = world;
    const created = await layaway('keys', 'create', '--scopes', 'contracts:read', '--name', 'reader', '--json');
    const { key, id, scopes } = created.json.data;
    expect(scopes).toEqual(['contracts:read']);
    const two = ['--scopes', 'checkout:read', '--scopes', 'contracts:read'];
    const { json } = await layaway('keys', 'create', ...two, '--json');
    expect(json.data.scopes, 'the flag once for each').toEqual(['checkout:read', 'contracts:read']);
    expect((await layaway('contracts', 'list', '--api-key', key)).code).toBe(0);
    const create = ['sessions', 'create', '--order-reference', 'A', '--total-amount', '20000', '--api-key', key];
    const refused = await layaway(...create);
    expect(refused).toMatchObject({ code: 3, stdout: '' });
    expect(refused.stderr).toContain('checkout:write');
    expect((await layaway('keys', 'list')).stdout).not.toContain(key);
    expect(await layaway('keys', 'revoke', id, '--json')).toMatchObject({ code: 0, json: { data: null } });
    expect((await layaway('contracts', 'list', '--api-key', key)).code).toBe(3);
    expect((await layaway('keys', 'create', '--scopes', 'contracts:steal', '--json')).code).toBe(3);
  });

  test('merchants: each has accounts of its own', async () => {
    await using world = await withSimulator();
    const { layaway } = world;
    await plan(world.sim.default);
    const { json } = await layaway(
      ...['merchants', 'create', '--legal-name', 'Second LLC', '--state', 'ny', '--set', 'grace_days=3', '--json'],
      ...['--frozen-at', '2027-03-01'],
    );
    const { id, sandbox, live } = json.data;
    const asSecond = ['--client-id', sandbox.client_id, '--api-key', sandbox.api_key, '--json'];
    expect((await layaway('contracts', 'list', ...asSecond)).json.data).toEqual([]);
    expect((await layaway('clock', 'show', ...asSecond)).json.data.now).toBe('2027-03-01T00:00:00.000000Z');
    expect((await layaway('merchants', 'get', id, '--json')).json.data).toMatchObject({ legal_name: 'Second LLC' });
    const asLive = ['--client-id', live.client_id, '--api-key', live.api_key, '--json'];
    expect((await layaway('merchants', 'get', ...asLive)).json.data.id).toBe(id);
    expect((await layaway('merchants', 'list', '--json')).json.data).toHaveLength(2);
    const set = await layaway('merchants', 'set', '--state', 'CA', '--dba', '', ...asSecond);
    expect(set.json.data).toMatchObject({ state: 'CA', dba: null, grace_days: 3 });
    expect(await layaway('merchants', 'get', 'mer_none', '--json')).toMatchObject({
      code: 3,
      json: { message: 'Merchant not found.' },
    });
  });

  test('assumptions: every one is listed with its value; set changes it where it belongs', async () => {
    await using world = await withSimulator();
    const { layaway } = world;
    const set = await layaway('assumptions', 'set', 'grace_days', '14', '--json');
    expect(set.json.data.grace_days).toBe(14);
    expect(
      (await layaway('assumptions', 'set', 'excluded_states', 'CA,ny', '--json')).json.data.excluded_states,
    ).toEqual(['CA', 'NY']);
    for (const [name, shown, value] of [
      ['excluded_states', '["CA", "NY"]', ['CA', 'NY']],
      ['excluded_states', '[]', []],
      ['webhook_retry_seconds', '[0, 5]', [0, 5]],
    ] as const) {
      const pasted = await layaway('assumptions', 'set', name, shown, '--json');
      expect(pasted.json.data[name], pasted.stderr).toEqual(value);
    }
    expect((await layaway('assumptions', 'set', 'disabled', 'true', '--json')).json.data).toEqual({
      disabled: true,
      unavailable_states: ['DC', 'MD'],
    });
    const { json } = await layaway('assumptions', 'list', '--json');
    const of = (name: string) => json.data.find((one: { name: string }) => one.name === name);
    expect(of('grace_days')).toMatchObject({ value: 14, default: 10, completes: '§3.3' });
    expect(of('disabled')).toMatchObject({ value: true, default: false });
    expect(of('page_size')).toMatchObject({ value: null, default: 15, scope: 'server' });
    expect((await layaway('assumptions', 'list')).stdout).toMatch(/^grace_days +14 +10 +account +§3\.3/m);
    expect((await layaway('assumptions', 'set', 'grace_days', '99999')).code).toBe(3);
  });

  test('snapshots and reset bring whole states back', async () => {
    await using world = await withSimulator();
    const { layaway } = world;
    const count = async () => (await layaway('contracts', 'list', '--json')).json.data.length;
    await plan(world.sim.default);
    expect((await layaway('snapshots', 'save', 'one', '--json')).json.data).toMatchObject({ name: 'one' });
    expect((await layaway('snapshots', 'save', 'one')).code).toBe(3);
    expect((await layaway('snapshots', 'save', 'one', '--overwrite')).code).toBe(0);
    await plan(world.sim.default);
    expect(await count()).toBe(2);
    expect((await layaway('snapshots', 'restore', 'one')).code).toBe(0);
    expect(await count()).toBe(1);
    expect((await layaway('reset', '--json')).code).toBe(0);
    expect(await count()).toBe(0);
    expect((await layaway('snapshots', 'list')).stdout).toContain('one');
    expect((await layaway('snapshots', 'delete', 'one', '--json')).json).toEqual({ data: null });
    expect((await layaway('snapshots', 'list', '--json')).json.data).toEqual([]);
    expect((await layaway('snapshots', 'restore', 'one')).code).toBe(3);
  });

  test.each(['restore', 'delete'])(
    'snapshots %s says of a name that is not there which ones there are',
    async (verb) => {
      await using world = await withSimulator();
      const refused = async (name: string) => {
        const { code, stderr } = await world.layaway('snapshots', verb, name);
        return [code, stderr];
      };
      expect(await refused('bse')).toEqual([
        3,
        'Snapshot not found. There are no snapshots. Save one with `layaway snapshots save <name>`.',
      ]);
      await world.sim.snapshots.save('base');
      expect(await refused('bse')).toEqual([3, 'Snapshot not found. Did you mean base?']);
      expect(await refused('paid-in-full')).toEqual([3, 'Snapshot not found. Available: base.']);
    },
  );

  test('workspace levers refuse a wrong token, and say whose it is not', async () => {
    await using world = await withSimulator();
    const { code, stderr } = await world.layaway('merchants', 'list', '--control-token', 'wrong');
    expect(code).toBe(3);
    expect(stderr).toContain('control token');
  });

  test('openapi prints the document that the server serves', async () => {
    await using world = await withSimulator();
    const { stdout } = await runner(await emptyPlace())('openapi', '--base-url', world.sim.url);
    expect(stdout).toBe((await (await fetch(`${world.sim.url}/openapi.json`)).text()).trimEnd());
    expect(JSON.parse(stdout).openapi).toBe('3.1.0');
  });
});

test('an empty list speaks of a match only if there was a filter', async () => {
  await using world = await withSimulator();
  const { layaway } = world;
  const ofLog = ' They appear as they arrive, unless the server was started with --no-request-log.';
  for (const [noun, items, how, filter] of [
    ['events', 'events', '', ['--type', 'installment.paid']],
    ['emails', 'emails', '', ['--to', 'ada@example.com']],
    ['deliveries', 'deliveries', '', ['--failed']],
    ['logs', 'requests', ofLog, ['--status', '5xx']],
  ] as const) {
    expect((await layaway(noun, 'list', '--limit', '5')).stderr).toBe(`There are no ${items}.${how}`);
    expect((await layaway(noun, 'list', ...filter)).stderr).toBe(`No matching ${items}.`);
  }
  expect((await layaway('sessions', 'list')).stderr).toBe(
    'There are no sessions. Open one with `layaway sessions create`.',
  );
  expect((await layaway('sessions', 'list', '--status', 'pending')).stderr).toBe('No matching sessions.');
});

test('a list that ends after 100 items, or 20 requests, says so, unless its length was asked for', async () => {
  await using world = await withSimulator();
  const { contracts, webhooks, v1 } = world.sim.default;
  await webhooks.add('http://127.0.0.1:9');
  for (let count = 0; count < 100; count += 1) await contracts.create();
  for (let count = 0; count < 20; count += 1) await v1.ping();
  for (const [noun, items, length] of [
    ['sessions', 'sessions', 100],
    ['events', 'events', 100],
    ['emails', 'emails', 100],
    ['deliveries', 'deliveries', 100],
    ['logs', 'requests', 20],
  ] as const) {
    const list = (...flags: string[]) => world.layaway(noun, 'list', ...flags);
    expect((await list()).stderr).toBe(`The list ends after ${length} ${items}. Use --limit to list up to 1000.`);
    expect(await list('--limit', String(length))).toMatchObject({ code: 0, stderr: '' });
    expect(await list('--json')).toMatchObject({ code: 0, stderr: '' });
  }
});

test('lists that take no limit show more than the 100 items of an ordinary answer', async () => {
  await using world = await withSimulator();
  const { sim, layaway } = world;
  const { keys, webhooks, faults } = sim.default;
  for (let number = 0; number < 101; number += 1) {
    await keys.create();
    await webhooks.add(`http://127.0.0.1:9/${number}`);
    await faults.add({ kind: 'throttled', skip: number });
    await sim.snapshots.save(`state-${number}`);
  }
  const lengthOf = async (noun: string) => (await layaway(noun, 'list', '--json')).json.data.length;
  expect(await lengthOf('keys')).toBe(102);
  expect(await lengthOf('webhooks')).toBe(101);
  expect(await lengthOf('faults')).toBe(101);
  expect(await lengthOf('snapshots')).toBe(101);
});

test('keys: who revokes the key in use is told, and gets another with the control token and the client id', async () => {
  await using world = await withSimulator();
  const { sim, layaway, place } = world;
  const [key] = await sim.default.keys.list();
  const other = await sim.default.keys.create();
  expect((await layaway('keys', 'revoke', other.id)).stderr).toBe(`Revoked ${other.id}.`);
  const revoked = await layaway('keys', 'revoke', key?.id ?? '');
  expect(revoked.stderr).toContain(`This command itself uses ${key?.id}, so the key is refused from now on.`);
  expect(revoked.stderr).toContain(`layaway keys create --client-id ${sim.default.clientId}`);
  expect((await layaway('contracts', 'list')).code).toBe(3);

  const { LAYAWAY_CLIENT_ID: _id, LAYAWAY_API_KEY: _key, ...env } = place.env;
  const locked = runner({ ...place, env: env as Record<string, string> });
  const who = ['--client-id', sim.default.clientId];
  expect((await locked('keys', 'list', ...who, '--json')).json.data).toHaveLength(2);
  const made = await locked('keys', 'create', ...who, '--json');
  expect((await locked('contracts', 'list', ...who, '--api-key', made.json.data.key)).code).toBe(0);
});
