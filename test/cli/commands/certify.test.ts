import dns from 'node:dns';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { CHECK_IDS } from '../../../src/certify/run.ts';
import { CHECKS_IN_HELP } from '../../../src/cli/commands/certify.ts';
import { type CertifyCheck, createSimulator, isCertified } from '../../../src/index.ts';
import { everything } from '../../certify/everything.ts';
import { openFaulty, openStore, SECRET, TO_LOGIN } from '../../certify/receivers.ts';
import { expectDescribed } from '../../support/outputs.ts';
import { queueTimeMs } from '../../support/queue-time.ts';
import { openReceiver, type Reply } from '../../support/receiver.ts';
import { emptyPlace, oneProcess, otherServer, type Place, start } from '../layaway.ts';

const { runner, withSimulator } = oneProcess();

/** A folder without a server near it; a port of nobody in place of the default one. */
let place: Place;
let layaway: ReturnType<typeof runner>;
beforeAll(async () => {
  place = await emptyPlace();
  layaway = runner(place);
});

const secret = ['--secret', SECRET];
/** How many checks there are. */
const ALL = CHECK_IDS.length;

test('--help lists every check', async () => {
  expect(CHECKS_IN_HELP.split(' ')).toEqual(CHECK_IDS);
  const { stdout } = await layaway('certify', '--help');
  for (const id of CHECK_IDS) expect(stdout).toContain(id);
});

describe('interface §10: layaway certify', () => {
  test('full marks, without a server, within 20 s', async () => {
    await using store = await openStore();
    const observe = ['--observe', store.stateUrl];
    const begun = performance.now() - queueTimeMs('self');
    const child = start(place, ['certify', '--webhook-url', store.url, ...secret, ...observe]);
    let queuedMs = 0;
    const meter = setInterval(() => (queuedMs = Math.max(queuedMs, queueTimeMs(child.pid as number))), 100);
    const { exitCode, stdout, stderr } = await child;
    clearInterval(meter);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(performance.now() - queueTimeMs('self') - queuedMs - begun).toBeLessThan(20_000);
    expect(stdout).toContain(`Examining ${store.url}\n  ✓ genuine             accepts every event type`);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(`${ALL} passed, 0 failed, 0 skipped.`);
  });

  test('a state that does not show payments is told of', async () => {
    await using store = await openStore();
    // Certify asks again for 20 s, less often if each answer takes a while.
    await using constant = await otherServer((_request, response) => void setTimeout(() => response.end('0'), 100));
    await using withoutPayments = await otherServer(({ url = '' }, response) => {
      response.end(store.observe({ contract: url.slice(1) }).split(':')[0]);
    });
    const examined = (observe: string, only = 'duplicate') =>
      layaway('certify', '--webhook-url', store.url, ...secret, '--only', only, '--observe', observe);
    // Those with more answers than a report keeps say it too.
    const compared = ['duplicate', 'duplicate-burst', 'out-of-order', 'retry-after-outage'];
    const always = await examined(constant.url, compared.join());
    expect(always.code).toBe(0);
    const silent =
      /✓ (\S+) .*\n {6}The observe option showed no state of the order \(the same text before and after its events\)/g;
    expect([...always.stdout.matchAll(silent)].map(([, id]) => id)).toEqual(compared);
    const { code, stdout } = await examined(`${withoutPayments.url}/{contract}`);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /✓ duplicate .*\n {6}The observed state does not show payments, so only the responses show that another id is processed\.\n/,
    );
    expect(stdout).not.toContain('the state was not compared');
  });

  test('of a page that was answered, the title is shown instead of its markup', async () => {
    const page = (title: string) =>
      `<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><style>${'a'.repeat(200)}</style><title>\n${title} </title>`;
    const bodies = [
      page('OperationalError at /webhooks'),
      `<!-- Request ID: 1 -->\n${page('Server Error')}`,
      '',
      '<html><body>no title',
      'no page, a <title>text</title>',
    ];
    await using receiver = await openReceiver(
      bodies.map(
        (body): Reply =>
          (response) =>
            void response.writeHead(500).end(body),
      ),
    );
    const { stdout } = await layaway(
      'certify',
      '--webhook-url',
      receiver.url,
      ...secret,
      '--only',
      'raw-body,unknown-type',
    );
    expect([...stdout.matchAll(/answered {2}500 \(\d+ ms\) {2}(.*)/g)].map(([, said]) => said)).toEqual([
      'OperationalError at /webhooks',
      'Server Error',
      '<html><body>no title',
      'no page, a <title>text</title>',
    ]);
  });

  test('a failure is reported with what was sent and answered, why it matters, and how to fix it', async () => {
    await using store = await openFaulty('raw-body');
    const { code, stdout, stderr } = await layaway('certify', '--webhook-url', store.url, ...secret);
    expect(code).toBe(5);
    expect(stderr).toBe(`${ALL - 1} passed, 1 failed (1 must, 0 should), 0 skipped.`);
    expect(stdout).toMatch(
      /✗ raw-body {12}verifies the bytes as they were sent\n {6}session\.decision_made, other white space: returned 400, must be 2xx\.\n/,
    );
    expect(stdout).toMatch(
      / {6}sent {6}session\.decision_made, other white space: POST http:\S+\n.*webhook-signature: v1,\S{44}\n.*\n {6}answered {2}400 \(\d+ ms\)\n/s,
    );
    expect(stdout).toMatch(/ {6}why {7}The signature covers the bytes of the body\./);
    expect(stdout).toContain('      fix       docs/webhooks.md#raw-body');
  });

  test('so it is if the store knows only its own orders', async () => {
    const refuses = ({ type }: { type: string }) => (type.startsWith('session.') ? undefined : 404);
    await using store = await openStore({ refuses });
    const at = ['certify', '--webhook-url', store.url, '--secret', SECRET, '--only', 'genuine', '--only', 'raw-body'];
    const { code, stdout } = await layaway(...at);
    expect(code).toBe(5);
    expect(stdout).toContain('Your store returned 404 for every event about a contract. ');
    expect(stdout).toMatch(/^ {2}✗ raw-body .* 404\nFix `genuine` first: /m);
  });

  test('with another secret, the cause is told once, and the failures that follow from it in brief', async () => {
    await using store = await openStore();
    const other = `whsec_${Buffer.alloc(32, 'other').toString('base64')}`;
    const file = join(place.cwd, 'other-secret.txt');
    const at = ['certify', '--webhook-url', store.url, '--secret', other, '--only', 'genuine,raw-body,stale,tampered'];
    const { code, stdout } = await layaway(...at);
    expect(code).toBe(5);
    expect(stdout).toContain(
      'Your store returned 400 for every genuine event. Does it verify the body byte for byte as received, with the same secret? ',
    );
    const [first, ...rest] = stdout.split(/^ {2}(?=[✓✗])/m).slice(1);
    expect(first).toMatch(/^✗ genuine .*^ {6}sent .*^ {6}fix {7}docs\/webhooks\.md#genuine$/ms);
    const [last, closing, fixes] = rest.join('').trimEnd().split('\n').slice(-3);
    expect(rest.join('').split('\n').slice(0, 3)).toEqual([
      '✗ raw-body            verifies the bytes as they were sent  400 ×3',
      '✓ tampered            refuses a request that was changed on the way  400 ×6',
      last?.trim(),
    ]);
    expect(last).toBe('✗ stale               refuses a timestamp 330 s in the past, accepts 30 s  400');
    expect(closing).toMatch(/^Fix `genuine` first: /);
    const docs = /^`fix` names sections of (\S.*)$/.exec(fixes ?? '')?.[1];
    expect(await readFile(docs as string, 'utf8')).toMatch(/^#+ `?genuine`?$/m);

    // The report in a file says the same, and JSON keeps every detail.
    await layaway(...at, '--output', file);
    const report = (await readFile(file, 'utf8')).split('\n');
    expect(report.slice(-6)).toEqual([
      ...stdout.split('\n').slice(-5, -2),
      closing,
      expect.stringMatching(/^1 passed, 3 failed/),
      '',
    ]);
    const { json } = await layaway(...at, '--json');
    const rawBody = json.checks.find(({ id }: { id: string }) => id === 'raw-body');
    expect(rawBody).toMatchObject({
      exchanges: [{}, {}, {}],
      note: expect.stringContaining('other escapes: returned 400'),
    });
  });

  test.each<[how: string, reason: string]>([
    ['ends', 'connection refused: nothing listens there'],
    ['hangs up', 'the receiver closed the connection'],
  ])('of a store that %s, the checks that get no response either are told in brief', async (how, reason) => {
    await using store = await openStore({
      async before(_request, response) {
        if (store.requests() <= 26) return undefined;
        if (how === 'ends') store.crash();
        else response.destroy();
        return undefined;
      },
    });
    const only = ['--only', 'genuine,raw-body,tampered,stale,no-redirect'];
    const { code, stdout } = await layaway('certify', '--webhook-url', store.url, ...secret, ...only);
    expect(code).toBe(5);
    const [genuine, rawBody, ...rest] = stdout.split(/^ {2}(?=[✓✗])/m).slice(1);
    expect(genuine).toMatch(/^✓ genuine/);
    expect(rawBody).toMatch(new RegExp(`^✗ raw-body .*no response \\(${reason}\\), must be 2xx.*^ {6}fix `, 'ms'));
    expect(rest.join('').split('\n').slice(0, 4)).toEqual([
      '✗ tampered            refuses a request that was changed on the way  no response ×6',
      '✗ stale               refuses a timestamp 330 s in the past, accepts 30 s  no response ×2',
      '✗ no-redirect         responds directly instead of redirecting  no response',
      expect.stringMatching(/^Fix `raw-body` first: /),
    ]);
  });

  test('of a store that redirects, the report tells where to', async () => {
    await using store = await openStore({
      async before(_request, response) {
        response.setHeader('location', 'https://shop.example/login');
        return 302;
      },
    });
    const only = ['--only', 'genuine,raw-body,no-redirect'];
    const { code, stdout } = await layaway('certify', '--webhook-url', store.url, ...secret, ...only);
    expect(code).toBe(5);
    expect(stdout).toContain(
      'Your store returned 302 for every genuine event. The service does not follow redirects; ',
    );
    expect(stdout).toMatch(/✗ raw-body {12}verifies the bytes as they were sent {2}302 ×3\n/);
    expect(stdout).toContain('returned 302, to https://shop.example/login; must not redirect.');
  });

  test('of a store that redirects to a page that refuses, what follows from it is told in brief', async () => {
    await using store = await openStore(TO_LOGIN);
    const only = ['--only', 'genuine,raw-body,no-redirect'];
    const { stdout } = await layaway('certify', '--webhook-url', store.url, ...secret, ...only);
    expect(stdout).toMatch(/✗ raw-body {12}verifies the bytes as they were sent {2}404 ×3\n/);
    expect(stdout).toContain('returned 302, to /login; must not redirect.');
  });

  test('a `should` counts only with --level should', async () => {
    await using store = await openFaulty('get-harmless');
    const at = ['certify', '--webhook-url', store.url, ...secret, '--only', 'get-harmless'];
    const lenient = await layaway(...at);
    expect([lenient.code, lenient.stderr]).toEqual([0, '']);
    expect(lenient.stdout).toContain('✗ get-harmless        does not return 2xx for a GET (should)');
    expect((await layaway(...at, '--level', 'should')).code).toBe(5);
    const junit = await layaway(...at, '--reporter', 'junit');
    expect(junit.stdout).toContain(`failures="0" skipped="${ALL}"`);
    expect((await layaway(...at, '--reporter', 'junit', '--level', 'should')).stdout).toContain(
      `failures="1" skipped="${ALL - 1}"`,
    );
  });

  test('--json is the JSON report, and stays it with every reporter', async () => {
    await using store = await openFaulty('stale');
    const { code, json } = await layaway(
      'certify',
      '--webhook-url',
      store.url,
      ...secret,
      '--reporter',
      'junit',
      '--json',
    );
    expect(code).toBe(5);
    expect(json).toMatchObject({ passed: ALL - 1, failed: 1, skipped: 0, level: 'must' });
    expect(Object.keys(json)).toEqual(['passed', 'failed', 'skipped', 'level', 'checks']);
    for (const check of json.checks) {
      expect(Object.keys(check)).toEqual(['id', 'level', 'title', 'verdict', 'why', 'exchanges', 'fix', 'note']);
      expect(check.exchanges.length).toBeGreaterThan(0);
    }
    expect(json.checks.find(({ id }: { id: string }) => id === 'stale')).toMatchObject({
      verdict: 'fail',
      exchanges: [{ sent: { what: 'signed now, 330 s old', method: 'POST' }, answered: { status: 204, error: null } }],
    });
  });

  test('--reporter junit has a case for each check, with its evidence', async () => {
    await using store = await openFaulty('unsigned');
    const file = join(place.cwd, 'certify.xml');
    const at = ['certify', '--webhook-url', store.url, ...secret, '--reporter', 'junit', '--output', file];
    const { code, stdout, stderr } = await layaway(...at);
    expect([code, stdout]).toEqual([5, '']);
    expect(stderr).toContain('✓ genuine');
    const xml = await readFile(file, 'utf8');
    expect(xml.match(/<testcase /g)).toHaveLength(ALL);
    expect(xml.match(/<system-out>/g)).toHaveLength(ALL);
    expect(xml).toContain('<failure message="without the three headers: returned 204, must be 4xx.">');
    expect(xml).toContain('fix       docs/webhooks.md#unsigned');
  });

  test('no report holds the user info of the URL', async () => {
    await using store = await openFaulty('get-harmless');
    const url = store.url.replace('://', '://hopper:hunter2@');
    const at = ['certify', '--webhook-url', url, ...secret, '--only', 'get-harmless'];
    const shown = store.url.replace('://', '://…@');
    for (const reporter of ['spec', 'json', 'junit']) {
      const { stdout, stderr } = await layaway(...at, '--reporter', reporter);
      expect([reporter, `${stdout}${stderr}`]).toEqual([reporter, expect.stringContaining(shown)]);
      expect(`${stdout}${stderr}`).not.toMatch(/hopper|hunter2/);
    }
    const dead = await layaway('certify', '--webhook-url', 'http://hopper:hunter2@127.0.0.1:1/', ...secret);
    expect([dead.code, dead.stderr]).toEqual([4, expect.stringContaining('Nothing answers at http://…@127.0.0.1:1/')]);
    expect(dead.stderr).toContain('If it listens on another loopback address, use http://…@localhost:1/.');
    expect(dead.stderr).not.toMatch(/hopper|hunter2/);
  });

  test('--output keeps the text, too', async () => {
    await using store = await openFaulty('future');
    const file = join(place.cwd, 'certify.txt');
    await layaway('certify', '--webhook-url', store.url, ...secret, '--output', file);
    expect(await readFile(file, 'utf8')).toMatch(
      new RegExp(`^Examining .*✗ future .*${ALL - 1} passed, 1 failed \\(1 must, 0 should\\), 0 skipped\\.\n$`, 's'),
    );
  });

  test('a report that could not be written is refused before the first request; an older one stays', async () => {
    await using store = await openStore();
    const older = join(place.cwd, 'older.txt');
    await writeFile(older, 'older');
    const at = ['certify', '--webhook-url', store.url, ...secret, '--only', 'get-harmless', '--output'];
    for (const [file, why] of [
      ['older.txt/x.json', 'a part of its path is not a directory'],
      ['.', 'it is a directory'],
      ['reports/', 'it is a directory'],
    ] as const) {
      const { code, stdout, stderr } = await layaway(...at, file);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toBe(`The report cannot be written to ${file} (${why}). Name another file.`);
    }
    expect(store.requests()).toBe(0);
    expect((await layaway('certify', '--webhook-url', 'http://127.0.0.1:1/', '--output', older)).code).toBe(4);
    expect(await readFile(older, 'utf8')).toBe('older');
  });

  test('a report that cannot be written in the end is printed', async () => {
    const folder = join(place.cwd, 'reports');
    await mkdir(folder);
    await using store = await openStore({
      before: async () => {
        await rm(folder, { recursive: true, force: true });
        await writeFile(folder, 'in the way');
        return undefined;
      },
    });
    const at = [
      'certify',
      '--webhook-url',
      store.url,
      ...secret,
      '--only',
      'genuine',
      '--reporter',
      'json',
      '--output',
    ];
    const { code, stdout, stderr } = await layaway(...at, 'reports/certify.json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ passed: 1, failed: 0 });
    expect(stderr).toContain(
      'The report could not be written to reports/certify.json (a part of its path is not a directory), so it was printed.',
    );
  });

  test.each([
    [
      'nothing listens',
      ['--webhook-url', 'http://127.0.0.1:1/', ...secret],
      4,
      'Nothing answers at http://127.0.0.1:1/',
    ],
    ['an unknown check', ['--webhook-url', '1/', '--only', 'genuine,nonsense'], 2, 'Unknown check "nonsense".'],
    [
      'a mistyped check',
      ['--webhook-url', '1/', '--only', 'tamperd'],
      2,
      'Unknown check "tamperd". Did you mean tampered?',
    ],
    ['an unknown check to skip', ['--webhook-url', '1/', '--skip', 'nonsense'], 2, 'Unknown check "nonsense".'],
    ['two receivers', ['--webhook-url', '1/', '--endpoint', 'we_x'], 2, 'cannot be used with'],
    ['no check', ['--webhook-url', '1/', '--only', ''], 2, 'No check is left: the option "only" is empty.'],
    [
      'no check left',
      ['--webhook-url', '1/', '--only', 'stale', '--skip', 'stale'],
      2,
      'the option "skip" leaves out all',
    ],
    ['a malformed secret', ['--webhook-url', '1/', '--secret', 'abc'], 2, 'The secret must be whsec_'],
    ['no URL', ['--webhook-url', 'ftp://x'], 2, 'It must be a URL such as'],
    [
      'an unknown placeholder',
      ['--webhook-url', '1/', '--observe', 'http://127.0.0.1:1/{contract}?a={orderReference}&b={ }&c={1}'],
      2,
      'The observe URL has the unknown placeholder {orderReference}. Use {contract}, {order_reference} or {session}, ' +
        'and write %7B and %7D for braces of the URL itself.',
    ],
    ['no server to ask for the endpoint', [], 4, 'Without a server, name your receiver with --webhook-url.'],
  ])('%s', async (_name, args, code, message) => {
    const port = await emptyPlace({ LAYAWAY_BASE_URL: 'http://127.0.0.1:9' });
    const ended = await runner(port)('certify', ...args);
    expect([ended.code, ended.stdout], ended.stderr).toEqual([code, '']);
    expect(ended.stderr).toContain(message);
  });

  test('LAYAWAY_WEBHOOK_SECRET, and the derived secret, which is printed', async () => {
    await using store = await openStore();
    const at = ['certify', '--webhook-url', store.url, '--only', 'genuine'];
    const env = runner({ ...place, env: { ...place.env, LAYAWAY_WEBHOOK_SECRET: SECRET } });
    expect(await env(...at)).toMatchObject({ code: 0, stderr: '' });
    const derived = await layaway(...at);
    expect(derived.code).toBe(5);
    expect(derived.stderr).toMatch(/^Signing with whsec_\S{44}, the secret of endpoints that --forward-to creates\.$/m);
  });

  test('Ctrl-C ends it with 130', async () => {
    await using store = await openStore({ before: () => new Promise(() => undefined) });
    const child = start(place, ['certify', '--webhook-url', store.url, ...secret]);
    await expect.poll(() => store.requests()).toBeGreaterThan(0);
    child.kill('SIGINT');
    expect(await child).toMatchObject({
      exitCode: 130,
      stdout: '',
      stderr: `Interrupted: 0 passed, 0 failed, ${ALL} not examined.`,
    });
  });

  /** Ended by a signal during the check `unsigned`, after `genuine` has passed. */
  async function interruptedIn(...flags: string[]) {
    let isHeld = false;
    await using store = await openStore({
      before: async ({ headers }) => {
        if ('webhook-signature' in headers) return undefined;
        isHeld = true;
        return new Promise(() => undefined);
      },
    });
    const { cwd, env } = await emptyPlace();
    const only = ['--only', 'genuine,unsigned,unknown-type,get-harmless'];
    const child = start({ cwd, env }, ['certify', '--webhook-url', store.url, ...secret, ...only, ...flags]);
    await expect.poll(() => isHeld).toBe(true);
    child.kill('SIGTERM');
    return { ...(await child), url: store.url, read: (name: string) => readFile(join(cwd, name), 'utf8') };
  }

  test.each([['must'], ['should']])('a signal costs no report, and nobody takes it for a pass (%s)', async (level) => {
    const { exitCode, stdout, stderr, read } = await interruptedIn('--json', '--output', 'c.json', '--level', level);
    expect([exitCode, stdout]).toEqual([130, '']);
    expect(stderr).toMatch(/^Interrupted: 1 passed, 0 failed, 3 not examined\.$/m);
    const certificate = JSON.parse(await read('c.json'));
    expectDescribed(['certify', '--json'], certificate);
    expect(certificate).toMatchObject({ passed: 1, failed: 1, skipped: ALL - 2, level });
    expect(isCertified(certificate)).toBe(false);
    const told = certificate.checks.map(({ id, verdict, note }: CertifyCheck) => [id, verdict, note]);
    expect(told).toHaveLength(ALL);
    expect(told).toEqual(
      expect.arrayContaining([
        ['genuine', 'pass', expect.any(String)],
        [
          'unsigned',
          'fail',
          'A signal ended the examination before this check was done. That says nothing about the receiver.',
        ],
        ['unknown-type', 'skip', 'Not examined: a signal came first.'],
        ['get-harmless', 'skip', 'Not examined: a signal came first.'],
        ['burst', 'skip', 'Not one of the requested checks.'],
      ]),
    );
  });

  test('nor does an error in the middle of it, if the report goes to a file', async () => {
    await using store = await openStore();
    const at = ['certify', '--webhook-url', store.url, ...secret, '--only', 'genuine,duplicate,get-harmless'];
    const file = join(place.cwd, 'broken.json');
    const error = 'The observe command "./no-program" could not be run: ';
    const broken = [...at, '--observe', './no-program', '--json'];
    expect(await layaway(...broken, '--output', file)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(error),
    });
    const certificate = JSON.parse(await readFile(file, 'utf8'));
    expectDescribed(['certify', '--json'], certificate);
    expect(certificate).toMatchObject({ passed: 1, failed: 1, skipped: ALL - 2 });
    const noteOf = (id: string) => certificate.checks.find((check: CertifyCheck) => check.id === id).note;
    expect([noteOf('duplicate'), noteOf('get-harmless')]).toEqual([
      expect.stringContaining(error),
      'Not examined: an error came first.',
    ]);
    expect(await layaway(...broken)).toMatchObject({ code: 1, stdout: '' });
  });

  test('the same in junit, and as text', async () => {
    const junit = await interruptedIn('--reporter', 'junit', '--output', 'c.xml');
    const xml = await junit.read('c.xml');
    expect(xml).toContain(`tests="${ALL}" failures="1" skipped="${ALL - 2}"`);
    expect(xml).toMatch(/unsigned [^>]*>\s*<failure message="A signal ended the examination/);
    const spec = await interruptedIn('--output', 'c.txt');
    const lines = (await spec.read('c.txt')).trimEnd().split('\n');
    expect(lines[1]).toContain('✓ genuine');
    expect(lines.at(-1)).toBe('Interrupted: 1 passed, 0 failed, 3 not examined.');
  });
});

describe('interface §10: with a running server', () => {
  test('the endpoint of the account, with its own secret; nothing of the account changes', async () => {
    await using world = await withSimulator();
    await using store = await openStore();
    const { sim } = world;
    const shop = sim.default;
    const { id } = await shop.webhooks.add(store.url, { secret: SECRET, events: ['contract.cancelled'] });
    const before = await everything(sim);
    for (const args of [[], ['--endpoint', id, '--only', 'genuine,wrong-secret,duplicate']]) {
      const { code, stdout, stderr } = await world.layaway('certify', '--observe', store.stateUrl, ...args);
      expect([code, stderr], stdout).toEqual([0, '']);
    }
    expect(await everything(sim)).toBe(before);
  });

  test('a store that still takes the secret from before a rotation, which is that of both modes', async () => {
    await using world = await withSimulator();
    const { webhooks, webhookSecret } = world.sim.default;
    const former = Buffer.from(webhookSecret.slice('whsec_'.length), 'base64');
    await using store = await openStore({
      isSigned: (given, expected, sign) => [expected, sign(former)].some((one) => given.split(' ').includes(one)),
    });
    await webhooks.add(store.url, { secret: SECRET });
    const { code, stdout } = await world.layaway('certify', '--only', 'genuine,wrong-secret,live-refused');
    expect(code, stdout).toBe(0);
  });

  /** What the server answered of throw-away merchants. */
  function watched() {
    const lines: string[] = [];
    const counted = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
    return {
      onRequest: ({ method, path, status }: { method: string; path: string; status: number | null }) =>
        void lines.push(`${method} ${path} ${status}`),
      made: () => counted(/^POST \/_sim\/merchants 201$/),
      sends: () => counted(/^POST \/_sim\/merchants\/mer_\w+\/send 200$/),
      deleted: () => counted(/^DELETE \/_sim\/merchants\/mer_\w+ 204$/),
    };
  }

  test('an endpoint that only the server reaches', async () => {
    const { onRequest, ...seen } = watched();
    await using world = await withSimulator({ onRequest });
    await using store = await openStore();
    const { port } = new URL(store.url);
    const { lookup } = dns;
    // The server runs in this process, and the command in another one, which does not know the name.
    dns.lookup = ((name: string, ...rest: [never, never]) =>
      lookup(name === 'receiver.invalid' ? '127.0.0.1' : name, ...rest)) as typeof lookup;
    try {
      await world.sim.default.webhooks.add(`http://receiver.invalid:${port}/webhooks`, { secret: SECRET });
      const ended = await world.layaway('certify', '--skip', 'burst');
      expect([ended.code, ended.stderr], ended.stdout).toEqual([0, '']);
    } finally {
      dns.lookup = lookup;
    }
    expect([seen.made(), seen.sends(), seen.deleted()]).toEqual([1, store.requests(), 1]);
    const unreachable = await world.layaway('certify', '--webhook-url', `http://receiver.invalid:${port}/webhooks`);
    expect(unreachable).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('Nothing answers at http://receiver'),
    });
  });

  test('the command sends to a --webhook-url and to an endpoint of `layaway listen`, about orders of the server', async () => {
    const { onRequest, ...seen } = watched();
    await using world = await withSimulator({ onRequest });
    await using store = await openStore();
    const payload = { url: store.url, secret: SECRET, transport: 'listener' };
    const { headers } = world.sim.default;
    await world.sim.inject({ method: 'POST', url: '/_sim/webhook-endpoints', headers, payload });
    for (const args of [['--webhook-url', store.url, ...secret], []]) {
      const ended = await world.layaway('certify', '--only', 'genuine,tampered', ...args);
      expect([ended.code, ended.stderr], ended.stdout).toEqual([0, '']);
    }
    expect(store.requests()).toBeGreaterThan(50);
    expect([seen.made(), seen.sends(), seen.deleted()]).toEqual([2, 0, 2]);
  });

  test('-H sends a header that a gateway before the receiver asks for, and no report shows it', async () => {
    await using world = await withSimulator();
    await using store = await openStore({
      before: async ({ headers }) => (headers['x-gateway'] === 'gateway-key' ? undefined : 403),
    });
    await world.sim.default.webhooks.add(store.url, { secret: SECRET });
    const only = ['--only', 'genuine,tampered,unsigned', '--json'];
    for (const target of [['--webhook-url', store.url, ...secret], []]) {
      const without = await world.layaway('certify', ...only, ...target);
      expect(without.code, without.stdout).toBe(5);
      const ended = await world.layaway('certify', ...only, ...target, '-H', 'X-Gateway: gateway-key');
      expect(JSON.parse(ended.stdout)).toMatchObject({ passed: 3, failed: 0 });
      expect(ended.stdout).not.toContain('gateway-key');
    }
    const wrong = await world.layaway('certify', '-H', 'X-Gateway');
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("It must be 'Name: value'") });
    for (const name of ['Content-Length', 'Transfer-Encoding']) {
      const framing = await world.layaway('certify', '-H', `${name}: 3`);
      expect(framing).toMatchObject({ code: 2, stderr: expect.stringContaining(`Leave out ${name}.`) });
    }
  });

  test('without the control token, the command makes and sends everything, and says so', async () => {
    const { onRequest, ...seen } = watched();
    await using world = await withSimulator({ onRequest });
    await using store = await openStore();
    await world.sim.default.webhooks.add(store.url, { secret: SECRET });
    const { LAYAWAY_CONTROL_TOKEN: _, ...env } = world.place.env;
    const note = `This command makes and sends the events itself: it does not have the control token of ${world.sim.url}. Use --control-token to let that server send them.`;
    for (const more of [{}, { LAYAWAY_CONTROL_TOKEN: 'of-another-server' }]) {
      const { code, stderr } = await runner({ ...world.place, env: { ...env, ...more } })(
        'certify',
        '--only',
        'genuine',
      );
      expect([code, stderr]).toEqual([0, note]);
    }
    expect(seen.made()).toBe(0);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('%s ends it, and the throw-away merchant is deleted', async (signal) => {
    const { onRequest, ...seen } = watched();
    await using world = await withSimulator({ onRequest });
    await using store = await openStore({ before: () => new Promise(() => undefined) });
    await world.sim.default.webhooks.add(store.url, { secret: SECRET });
    const child = start(world.place, ['certify']);
    await expect.poll(() => store.requests()).toBeGreaterThan(0);
    child.kill(signal);
    expect(await child).toMatchObject({ exitCode: 130, stderr: expect.stringMatching(/^Interrupted: /) });
    expect([seen.made(), seen.deleted()]).toEqual([1, 1]);
  });

  test('which endpoint, where there are several; none; one that is not there', async () => {
    await using world = await withSimulator();
    expect(await world.layaway('certify')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no webhook endpoint'),
    });
    const shop = world.sim.default;
    const { id } = await shop.webhooks.add('http://127.0.0.1:1/a');
    await shop.webhooks.add('http://127.0.0.1:1/b');
    const several = await world.layaway('certify');
    expect(several).toMatchObject({ code: 2, stderr: expect.stringContaining(`${id} (http://127.0.0.1:1/a)`) });
    expect(await world.layaway('certify', '--endpoint', 'we_x')).toMatchObject({ code: 3 });
    expect(await world.layaway('certify', '--endpoint', id)).toMatchObject({
      code: 4,
      stderr: expect.not.stringContaining('is disabled'),
    });
    await world.sim.default.webhooks.disable(id);
    const { stderr } = await world.layaway('certify', '--endpoint', id);
    expect(stderr).toContain(`The endpoint ${id} is disabled (`);
    expect(stderr).toContain(`Enable it with \`layaway webhooks enable ${id}\`.`);
  });

  test('for a --webhook-url without a secret, that of the account is used', async () => {
    await using world = await withSimulator();
    await using receiver = await openReceiver();
    const { LAYAWAY_WEBHOOK_SECRET: secret, ...env } = (await world.sim.merchant()).env;
    const layaway = runner({ ...world.place, env: { ...(await emptyPlace()).env, ...env } });
    const { code, stderr } = await layaway('certify', '--webhook-url', receiver.url, '--only', 'genuine');
    expect([code, stderr]).toEqual([0, `Signing with ${secret}, the secret of endpoints that --forward-to creates.`]);
  });

  test('a self-signed certificate is accepted with --insecure, or of an endpoint that has it', async () => {
    await using world = await withSimulator();
    await using receiver = await openReceiver([], { https: true });
    const at = ['certify', '--webhook-url', receiver.url, ...secret, '--only', 'genuine'];
    expect((await world.layaway(...at)).code).not.toBe(0);
    expect((await world.layaway(...at, '--insecure')).code).toBe(0);
    // Its state is the number of different events.
    const ids = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
    receiver.script(...Array<Reply>(500).fill((response) => void response.end(String(ids().size))));
    const observed = ['--only', 'duplicate', '--observe', `${receiver.url}?of={contract}`];
    expect((await world.layaway(...at, '--insecure', ...observed)).code).toBe(0);
    await world.layaway('webhooks', 'add', receiver.url, '--insecure');
    expect((await world.layaway('certify', '--only', 'genuine')).code).toBe(0);
  });

  test('a live endpoint', async () => {
    await using sim = await createSimulator();
    await using store = await openStore();
    const { live } = sim.default;
    await live.webhooks.add(store.url, { secret: SECRET });
    const env = { ...live.env, LAYAWAY_CLIENT_ID: live.clientId, LAYAWAY_API_KEY: live.apiKey };
    const { code, stdout } = await runner(await emptyPlace(env))('certify');
    expect(code, stdout).toBe(0);
    expect(stdout).toContain('- live-refused        Not examined: this endpoint is in live mode.');
  });
});

test('each check links to a section of docs/webhooks.md', async () => {
  const page = await readFile(join(inject('layaway'), 'docs/webhooks.md'), 'utf8');
  const anchors = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  expect(anchors).toEqual(expect.arrayContaining([...CHECK_IDS]));
  expect(new Set(anchors).size).toBe(anchors.length);
});
