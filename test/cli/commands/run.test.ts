import { readdirSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { createSimulator } from '../../../src/index.ts';
import { expectDescribed } from '../../support/outputs.ts';
import { blocksOf, sectionOf } from '../../support/walk-through.ts';
import {
  type Ended,
  emptyPlace,
  oneProcess,
  otherServer,
  type Place,
  start,
  runner as startedRunner,
  startReady,
} from '../layaway.ts';

const { runner } = oneProcess();

const SHIPPED = join(inject('layaway'), 'fixtures', 'scenarios');
const shipped = readdirSync(SHIPPED).map((name) => join(SHIPPED, name));

/** A place with one scenario file in it, and the program there. */
async function withFile(
  text: string | Uint8Array,
  { name = 'a.yaml', env = {} }: { name?: string; env?: Record<string, string> } = {},
) {
  const place = await emptyPlace(env);
  await writeFile(join(place.cwd, name), text);
  return { place, layaway: runner(place) };
}

/**
 * What one program tells of many files of which none depends on another. Each is added while the suite is collected; the
 * first test that asks starts the program.
 */
function together<Told>(tell: (place: Place, files: readonly string[]) => Promise<readonly Told[]>) {
  const texts: (string | Uint8Array)[] = [];
  let all: Promise<readonly Told[]> | undefined;
  async function begin() {
    const place = await emptyPlace();
    const files = texts.map((_, index) => `in-${index}/a.yaml`);
    for (const [index, text] of texts.entries()) {
      await mkdir(join(place.cwd, `in-${index}`));
      await writeFile(join(place.cwd, `in-${index}/a.yaml`), text);
    }
    const told = await tell(place, files);
    expect(told).toHaveLength(files.length);
    return told;
  }
  return (text: string | Uint8Array) => {
    const index = texts.push(text) - 1;
    return async () => {
      all ??= begin();
      return (await all)[index] as Told;
    };
  };
}

/** How a scenario ended, and what a person reads about it. */
interface Played {
  readonly status: 'passed' | 'failed';
  // biome-ignore lint/suspicious/noExplicitAny: tests look into values of every shape
  readonly steps: any[];
  readonly told: string;
}
const played = together(async (place, files): Promise<Played[]> => {
  const { code, stderr } = await runner(place)('run', ...files, '--reporter', 'json', '--output', 'report');
  const report = JSON.parse(await readFile(join(place.cwd, 'report'), 'utf8'));
  expect(code).toBe(report.failed > 0 ? 5 : 0);
  const [, ...told] = stderr.split(/^.+ {2}in-\d+\/a\.yaml\n/m);
  return told.map((lines, index) => ({
    status: report.scenarios[index].status,
    steps: report.scenarios[index].steps,
    told: lines.trimEnd().replaceAll(`in-${index}/`, ''),
  }));
});

/** A test of a scenario that the program plays with others. */
function testPlayed(title: string, text: string, check: (scenario: Played) => void) {
  const scenario = played(text);
  test(title, async () => check(await scenario()));
}

/** Reads files with mistakes, and plays none: the lines about each. */
const mistaken = together(async (place, files) => {
  const { code, stdout, stderr } = await runner(place)('run', ...files);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  const told = files.map((): string[] => []);
  let about = -1;
  for (const line of stderr.split('\n')) {
    about = Number(/^in-(\d+)\//.exec(line)?.[1] ?? about);
    told[about]?.push(line.replace(/^in-\d+\//, ''));
  }
  return told;
});

/** A test of a file that the program reads with others. */
function testMistaken(title: string, text: string | Uint8Array, check: (lines: readonly string[]) => void) {
  const lines = mistaken(text);
  test(title, async () => check(await lines()));
}

const OPENED = `
name: opened
steps:
  - create-session: { order_reference: A-1, total_amount: 20000 }
    as: order
`;
const COMPLETED = `${OPENED.replace('name: opened', 'name: completed')}
  - complete-checkout: { session: "\${order.id}", customer_email: ada@example.com }
    as: plan
`;

describe('interface §5: the scenarios that are shipped', () => {
  let first: {
    json: { passed: number; failed: number; scenarios: { file: string; status: string }[] };
    stdout: string;
  };

  beforeAll(async () => {
    const layaway = startedRunner(await emptyPlace());
    first = await layaway('run', ...shipped, '--reporter', 'json', '--json');
  });

  test('are those a merchant would want', () => {
    expect(readdirSync(SHIPPED).map((name) => name.replace(/\.(yaml|json)$/, ''))).toEqual(
      expect.arrayContaining([
        'abandoned-checkout',
        'cancel-mid-plan',
        'decline-and-retry',
        'default-from-a-standing-start',
        'delinquent-to-default',
        'expiry',
        'happy-path',
        'idempotent-retry',
        'lost-answer',
        'out-of-order',
        'outage-of-three-days',
        'rate-limited',
        'settled-installment',
        'unavailable-state',
        'webhook-outage',
        'webhook-storm',
      ]),
    );
  });

  test.each(readdirSync(SHIPPED))('%s passes', (name) => {
    expect(first.json.scenarios.find(({ file }) => file.endsWith(name))?.status).toBe('passed');
  });

  test('are all reported as passed', () => {
    expect(first.json).toMatchObject({ passed: shipped.length, failed: 0 });
  });

  test('report the same to the byte the next time', async () => {
    const { stdout, code } = await runner(await emptyPlace())('run', ...shipped, '--reporter', 'json');
    expect(code).toBe(0);
    expect(stdout === first.stdout).toBe(true);
  });

  test('pass on a server that runs, each with a merchant of its own, and leave it as it was', async () => {
    await using sim = await createSimulator({ seed: 5, clock: { frozenAt: '2026-06-01T00:00:00Z' } });
    const layaway = runner(await emptyPlace({ LAYAWAY_BASE_URL: sim.url, LAYAWAY_CONTROL_TOKEN: sim.controlToken }));
    const own = shipped.filter((file) => !file.endsWith('rate-limited.yaml'));
    const { code, json } = await layaway('run', ...own, '--base-url', sim.url, '--json');
    expect({ code, passed: json.passed }).toEqual({ code: 0, passed: own.length });
    expect(await sim.default.events.list()).toEqual([]);
    const asked = { headers: { authorization: `Bearer ${sim.controlToken}` } };
    const read = async (path: string) => (await (await fetch(`${sim.url}${path}`, asked)).json()) as { data: object };
    const platform = await read('/_sim/platform');
    expect(platform.data).toEqual({ disabled: false, unavailable_states: ['DC', 'MD'] });
    const merchants = await read('/_sim/merchants');
    expect(merchants.data).toHaveLength(own.length + 1);
  });
});

test('the scenario of the README passes', async () => {
  const readme = await readFile(join(import.meta.dirname, '../../../README.md'), 'utf8');
  const [example = ''] = blocksOf(sectionOf(readme, 'Scenarios'), 'yaml');
  const { layaway } = await withFile(example);
  expect(await layaway('run', 'a.yaml')).toMatchObject({ code: 0, stderr: '' });
});

/** One expectation of each kind that does not hold, with values that carry ports and real time. */
const WRONG = `
name: all wrong
steps:
  - receiver: [500]
    as: store
  - endpoint: { url: "\${store.url}", events: [contract.activated] }
  - create-session: { order_reference: A-1, total_amount: 20000 }
    as: order
  - request: { method: GET, path: "\${order.checkout_url}" }
  - complete-checkout: { session: "\${order.id}", customer_email: ada@example.com }
    name: everything
    expect:
      body: { data: { status: pending, checkout: 1 } }
      events: [contract.activated]
      emails: [{ to: bob@example.com }]
      deliveries: [{ url: "http://other/", attempts: [{ status_code: 200, sent_at: "2000" }] }]
      headers: { date: never }
  - advance: { by: 1d }
`;

describe('interface §5: an expectation that fails', () => {
  test('ends with 5 and shows what was expected and what is there; what follows is not done', async () => {
    const { layaway } = await withFile(WRONG);
    const { code, stdout, stderr } = await layaway('run', 'a.yaml');
    expect(code).toBe(5);
    expect(stderr).toBe('1 of 1 scenario failed.');
    const lines = stdout.split('\n').map((line) => line.trim());
    expect(lines).toEqual(
      expect.arrayContaining([
        '✗ everything (complete-checkout)  session.decision_made, contract.activated, session.completed',
        'a.yaml:13:23 body.data.status',
        '- expected: pending',
        '+ actual:   active',
        'a.yaml:13:40 body.data.checkout',
        '- expected: 1',
        '+ actual:   (nothing)',
        'a.yaml:14:7 events (- expected, + actual)',
        '+ session.decision_made',
        'contract.activated',
        '+ session.completed',
        'a.yaml:15:7 emails (- expected, + actual)',
        'a.yaml:16:7 deliveries (- expected, + actual)',
        'a.yaml:17:18 headers.date',
        '- advance by 1d',
      ]),
    );
    expect(stdout).not.toContain('\u001b');
  });

  test('in json contains no port and no real time: the same to the byte twice', async () => {
    const { layaway } = await withFile(WRONG);
    const [first, second] = [await layaway('run', 'a.yaml', '--json'), await layaway('run', 'a.yaml', '--json')];
    expect(first.code).toBe(5);
    expect(first.stdout).toBe(second.stdout);
    expect(first.stdout).not.toMatch(/127\.0\.0\.1/);
    const [scenario] = first.json.scenarios;
    expect(scenario.steps.map(({ status }: { status: string }) => status)).toEqual([
      'passed',
      'passed',
      'passed',
      'passed',
      'failed',
      'skipped',
    ]);
    expect(scenario.steps[4].differences).toContainEqual({
      at: 'deliveries',
      line: 16,
      column: 7,
      expected: [{ url: 'http://other/', attempts: [{ status_code: 200, sent_at: '…' }] }],
      actual: [{ url: `\${store.url}`, attempts: [{ status_code: 500, sent_at: '…' }] }],
    });
    expect(scenario.steps[4].differences).toContainEqual({
      at: 'headers.date',
      line: 17,
      column: 18,
      expected: 'never',
      actual: '…',
    });
    expect(scenario.steps[5]).toMatchObject({ does: 'advance by 1d', line: 18, column: 5 });
  });

  /** The report of one of two programs that play the same. */
  const reported = () =>
    together(async (place, files): Promise<{ stdout: string; scenario: string }[]> => {
      const { code, stdout, json } = await runner(place)('run', ...files, '--json');
      expect(code).toBe(5);
      return json.scenarios.map((scenario: object) => ({ stdout, scenario: JSON.stringify(scenario) }));
    });
  const [once, again] = [reported(), reported()];

  test.each(
    [
      'GET, path: "/_sim/requests"',
      'GET, path: "/_sim/browse/requests"',
      'POST, path: "/_sim/snapshots", body: { name: now }',
      'GET, path: "/_sim/snapshots"',
      'GET, path: "/_sim/trace"',
      `GET, path: "/_sim/explain/\${order.id}"`,
      'GET, path: "/_sim/merchants"',
    ].map((request) => {
      const asked = `  - request: { method: ${request} }\n    expect: { body: nomatch }\n`;
      const saved = '  - request: { method: POST, path: "/_sim/snapshots", body: { name: before } }\n';
      const text = `${OPENED}${saved}${asked}`;
      return [request, once(text), again(text)] as const;
    }),
  )('in json is the same to the byte twice: { method: %s }', async (_request, report, reportAgain) => {
    const [first, second] = [await report(), await reportAgain()];
    expect(first.scenario).toBe(second.scenario);
    expect(first.stdout).toBe(second.stdout);
    expect(first.scenario).not.toMatch(/127\.0\.0\.1/);
    expect(first.scenario).toContain('"actual":{');
  });

  testPlayed(
    'in json keeps the instants of the account clock',
    `${OPENED}  - request: { method: GET, path: /_sim/clock }\n    expect: { body: { data: { next_due: { at: never } } } }\n`,
    ({ steps }) => {
      expect(steps.at(-1).differences).toMatchObject([{ actual: '2026-01-01T01:00:00.000000Z' }]);
    },
  );

  test('in junit is a failure of its step; every time is 0', async () => {
    const { place, layaway } = await withFile(WRONG.replace('name: all wrong', 'name: all <wrong> & "quoted"'));
    await writeFile(join(place.cwd, 'b.yaml'), OPENED);
    const { code, stdout } = await layaway('run', 'a.yaml', 'b.yaml', '--reporter', 'junit');
    expect(code).toBe(5);
    expect(stdout).toMatch(
      /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites name="layaway run" tests="7" failures="1" skipped="1" errors="0" time="0">/,
    );
    expect(stdout).toContain('<testsuite name="all &lt;wrong&gt; &amp; &quot;quoted&quot;" file="a.yaml" tests="6"');
    expect([...new Set(stdout.match(/\btime="[^"]*"/g))]).toEqual(['time="0"']);
    expect(stdout.match(/<testcase /g)).toHaveLength(7);
    expect(stdout).toContain('<skipped/>');
    expect(stdout).toContain('classname="a.yaml" file="a.yaml" line="10" time="0">');
    expect(stdout).toMatch(
      /<failure message="body.data.status, [^"]*">a\.yaml:13:23 body\.data\.status\n- expected: pending\n\+ actual: {3}active\n/,
    );
    const open: string[] = [];
    for (const [, end, name = '', alone] of stdout.replace(/^<\?.*\?>/, '').matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/g)) {
      if (end) expect(open.pop()).toBe(name);
      else if (!alone) open.push(name);
    }
    expect(open).toEqual([]);
  });

  test('does not keep the other files from being played', async () => {
    const { place, layaway } = await withFile(WRONG);
    await writeFile(join(place.cwd, 'b.yaml'), OPENED);
    const { code, json } = await layaway('run', 'a.yaml', 'b.yaml', '--json');
    expect({ code, passed: json.passed, failed: json.failed }).toEqual({ code: 5, passed: 1, failed: 1 });
  });

  for (const [name, events] of [
    ['order', '[session.completed, contract.activated, session.decision_made]'],
    ['one too few', '[session.decision_made, contract.activated]'],
    ['one too many', '[session.decision_made, contract.activated, session.completed, installment.paid]'],
    ['none', '[]'],
  ]) {
    const text = `${COMPLETED}    expect: { events: ${events} }\n`;
    testPlayed(`events are the exact list: ${name}`, text, ({ status }) => expect(status).toBe('failed'));
  }

  testPlayed(
    'emails and events are those since the step began',
    `${COMPLETED}  - advance: { by: 1h }\n    expect: { emails: [], events: [] }\n`,
    ({ status }) => expect(status).toBe('passed'),
  );
});

describe('interface §5: a step that the service refuses', () => {
  const TOO_SMALL = OPENED.replace('20000', '100');

  testPlayed('fails the scenario with the refusal', TOO_SMALL, ({ status, told }) => {
    expect(status).toBe('failed');
    expect(told).toContain('a.yaml:4:5 The service refused: 422 The total amount field must be at least 5000.');
  });

  testPlayed(
    'passes when its status is expected',
    `${TOO_SMALL}    expect: { status: 422, body: { errors: { total_amount: ["/at least 5000/"] } } }\n`,
    ({ status }) => expect(status).toBe('passed'),
  );

  testPlayed(
    'with another status than expected explains itself',
    `${TOO_SMALL}    expect: { status: 201 }\n`,
    ({ status, told }) => {
      expect(status).toBe('failed');
      expect(told).toMatch(
        /a\.yaml:6:15 status\n +- expected: 201\n +\+ actual: +422 The total amount field must be at least 5000/,
      );
    },
  );

  const expected =
    '{ status: 202, headers: { content-type: /html/ }, body: { data: { total_amount: 20000, status: pending, gone: 1 } } }';
  testPlayed(
    'with another status than expected shows what else is not as expected',
    `${OPENED.replace('20000', '30000')}    expect: ${expected}\n`,
    ({ status, steps }) => {
      expect(status).toBe('failed');
      const { differences } = steps[0];
      expect(differences.map(({ at, actual }: { at: string; actual: unknown }) => [at, actual])).toEqual([
        ['status', 201],
        ['body.data.total_amount', 30000],
        ['body.data.gone', null],
        ['headers.content-type', expect.stringContaining('json')],
      ]);
    },
  );

  testPlayed(
    'of a page shows its visible text',
    `${OPENED}  - request: { method: GET, path: "\${order.checkout_url}" }\n    expect: { body: paid }\n`,
    ({ status, told }) => {
      expect(status).toBe('failed');
      expect(told).toMatch(/ body\n +- expected: paid\n +\+ actual: +\w/);
      expect(told).not.toMatch(/<\/?[a-z]/i);
    },
  );

  testPlayed(
    'with a status that is no number shows what was expected',
    `${OPENED}
  - request: { method: GET, path: "\${server.url}" }
    expect: { status: "\${order.id}" }
`,
    ({ status, told }) => {
      expect(status).toBe('failed');
      expect(told).toMatch(/a\.yaml:8:15 status\n +- expected: cs_\w+\n +\+ actual: +200$/);
    },
  );

  testPlayed(
    'a header that gets what HTTP does not allow from a response fails its step',
    `
name: x
steps:
  - create-session: { order_reference: "€", total_amount: 20000 }
    as: order
  - request: { method: GET, path: /v1/ping, headers: { x-order: "\${order.order_reference}" } }
  - advance: { by: 1d }
`,
    ({ status, told }) => {
      expect(status).toBe('failed');
      expect(told).toContain('a.yaml:6:5 HTTP does not allow the value of the header x-order.');
    },
  );

  testPlayed(
    'a place that a response does not have fails the step that asks for it',
    `${OPENED}  - pay: { session: "\${order.identifier}" }\n`,
    ({ status, told }) => {
      expect(status).toBe('failed');
      expect(told).toContain('order has no identifier; it has id, status, order_reference');
      expect(told).toMatch(/^ +a\.yaml:6:5 /m);
    },
  );

  testPlayed(
    'settling when nothing is overdue says so',
    `${COMPLETED}  - settle: { contract: "\${plan.reference}" }\n`,
    ({ status, told }) => {
      expect(status).toBe('failed');
      expect(told).toMatch(/a\.yaml:9:5 No installment of LAY-\w+ is overdue/);
    },
  );

  testPlayed(
    'a condition that cannot be reached fails',
    `${COMPLETED}  - advance: { until: "\${plan.reference}=defaulted" }\n`,
    ({ status, told }) => {
      expect(status).toBe('failed');
      expect(told).toContain('The service refused: 422');
    },
  );
});

describe('interface §5: each kind of step', () => {
  test('all of them in one scenario', async () => {
    const { layaway } = await withFile(`
name: every step
merchant: { legal_name: Every Step LLC, state: TX, email: shop@example.com, settings: { installment_count: 2 } }
clock: 2026-03-01T00:00:00Z
steps:
  - settings: { grace_days: 3, excluded_states: [NY] }
    expect: { status: 200, body: { data: { grace_days: 3, installment_count: 2, legal_name: Every Step LLC } } }
  - platform: { disabled: true }
    expect: { body: { data: { disabled: true } } }
  - request: { method: GET, path: /v1/ping }
    expect: { body: { data: { layaway: { reason: platform_disabled } } } }
  - platform: { disabled: false }
  - receiver: []
    as: store
  - endpoint: { url: "\${store.url}", events: ["*"] }
    as: hook
    expect: { status: 201, body: { data: { secret: "/^whsec_/" } } }
  - create-session: { order_reference: P-1, total_amount: 20000, preview: true }
    as: preview
  - complete-checkout: { session: "\${preview.id}" }
    as: unseen
  - request: { method: GET, path: "/v1/contracts/\${unseen.reference}" }
    expect: { status: 404 }
  - create-session: { order_reference: A-0, total_amount: 20000 }
    as: abandoned
  - cancel-checkout: { session: "\${abandoned.id}" }
    expect:
      events: [session.cancelled]
      deliveries: [{ endpoint_id: "\${hook.id}", status: delivered }]
  - create-session: { order_reference: A-1, total_amount: 20000, customer_state: CA, metadata: { a: b } }
    as: order
  - accept: { session: "\${order.id}", customer_name: Ada Byron, customer_email: ada@example.com }
  - pay: { session: "\${order.id}", outcome: pay }
    as: plan
    expect: { body: { data: { installments: [{ sequence: 1 }, { sequence: 3 }] } } }
  - outcomes: { contract: "\${plan.reference}", outcomes: [fail, fail] }
  - advance: { next: true }
    expect: { happened: [installment.payment_failed], body: { data: { now: "/^2026-03-15/" } } }
  - advance: { to: 2026-03-17 }
    expect: { happened: [installment.payment_failed, installment.past_due] }
  - advance: { by: 3d }
    expect: { happened: [installment.delinquent], emails: [{ to: ada@example.com }] }
  - settle: { contract: "\${plan.reference}" }
    expect: { events: [installment.paid] }
  - update-contract: { contract: "\${plan.reference}", order_reference: A-1b }
    expect: { body: { data: { order_reference: A-1b, metadata: { a: b } } } }
  - wait: { event: installment.paid, contract: "\${plan.reference}" }
    expect: { body: { data: { data: { order_reference: A-1 } } } }
  - wait: { email: { to: ada@example.com, subject: "/past due/i" } }
  - wait: { delivery: { status: delivered, attempts: [{ status_code: 200 }] } }
  - cancel-contract: { contract: "\${plan.reference}" }
    expect: { events: [contract.cancelled], emails: [{ to: shop@example.com }, { to: ada@example.com }] }
  - request:
      method: POST
      path: /v1/sessions
      headers: { X-Api-Key: null, X-Client-Id: "\${merchant.client_id}" }
      body: { order_reference: A-2 }
    expect: { status: 401, body: { message: Unauthenticated. } }
  - request: { method: POST, path: "\${server.url}/v1/sessions", headers: { Content-Type: text/plain }, body: hello }
    expect: { status: 415 }
  - request: { method: GET, path: /v1/config, headers: { x-client-id: "\${merchant.live.client_id}", x-api-key: "\${merchant.live.api_key}" } }
    expect: { body: { data: { mode: live } } }
`);
    const { code, stdout, stderr } = await layaway('run', 'a.yaml');
    expect(stdout + stderr).not.toContain('✗');
    expect(code).toBe(0);
  });

  testPlayed(
    'a wait that is in vain ends with 5',
    `${OPENED}  - wait: { event: session.completed, timeout: 1s }\n`,
    ({ status, told }) => {
      expect(status).toBe('failed');
      expect(told).toContain('No session.completed came within 1s.');
    },
  );

  const lost = OPENED.replace('steps:\n', 'steps:\n  - fault: { kind: lost_answer }\n');
  testPlayed(
    'a place that a lost response would have filled says so',
    `${lost}    expect: { answer: lost }\n  - pay: { session: "\${order.id}" }\n`,
    ({ status, told }) => {
      expect(status).toBe('failed');
      expect(told).toContain(`\${order.id}: the response that order names was lost.`);
    },
  );

  testPlayed(
    'a stream, whose response never ends, fails its step at once',
    `${OPENED}  - request: { method: GET, path: /_sim/events/stream }\n`,
    ({ status, told }) => {
      expect(status).toBe('failed');
      expect(told).toContain(
        'a.yaml:6:5 The response is a stream of events, which never ends. Use the step `wait` to wait for an event, an email or a delivery.',
      );
    },
  );

  test('a request to somewhere else is not sent', async () => {
    await using other = await otherServer((_request, response) => response.end());
    const { layaway } = await withFile(`${OPENED}  - request: { method: GET, path: "${other.url}/x" }\n`);
    const { code, stdout } = await layaway('run', 'a.yaml');
    expect(code).toBe(5);
    expect(stdout).toContain('a request goes to the simulator itself');
    expect(other.seen).toEqual([]);
  });
});

describe('interface §5: validated before anything runs, with line and column', () => {
  for (const [name, text, sentence] of [
    [
      'a misspelt step',
      'name: x\nsteps:\n  - create-sesion: {}\n',
      'a.yaml:3:5 steps[0]: create-sesion is not known. Did you mean create-session?',
    ],
    [
      'a misspelt field',
      `${OPENED}  - pay: { sesion: x }\n`,
      'a.yaml:6:12 steps[1].pay: sesion is not known. Did you mean session?',
    ],
    [
      'an option beside the verb',
      `${OPENED}  - advance:\n    by: 14d\n`,
      'a.yaml:7:5 steps[1]: by belongs under advance, not beside it (in YAML, indent it further).',
    ],
    [
      'an expectation beside expect',
      `${OPENED}    expect:\n    emails: []\n`,
      'a.yaml:7:5 steps[0]: emails belongs under expect, not beside it (in YAML, indent it further).',
    ],
    [
      'an option that the verb and the expectation have',
      `${OPENED}  - request:\n    path: /v1/ping\n    body: {}\n    expect:\n`,
      'a.yaml:8:5 steps[1]: body belongs under request or expect, not beside it (in YAML, indent it further).',
    ],
    [
      'a setting of the merchant beside merchant',
      'name: x\nmerchant:\nstate: TX\nsteps: [{ advance: { by: 1d } }]\n',
      'a.yaml:3:1 state belongs under merchant, not beside it (in YAML, indent it further).',
    ],
    [
      'a key of the step under the verb',
      `${OPENED}  - advance:\n      by: 14d\n      expect: { events: [] }\n`,
      'a.yaml:8:7 steps[1].advance: expect belongs beside advance, not under it (in YAML, indent it less).',
    ],
    [
      'a misspelt expectation',
      `${OPENED}    expect: { happend: [] }\n`,
      'a.yaml:6:15 steps[0].expect: happend is not known. Did you mean happened?',
    ],
    [
      'a misspelt event',
      `${OPENED}    expect: { events: [session.complete] }\n`,
      'a.yaml:6:24 steps[0].expect.events[0] session.complete is not known. Did you mean session.completed?',
    ],
    [
      'a misspelt setting',
      'name: x\nsteps: [{ settings: { grace_day: 3 } }]\n',
      'a.yaml:2:23 steps[0].settings: grace_day is not known. Did you mean grace_days?',
    ],
    [
      'a setting out of range',
      'name: x\nsteps: [{ settings: { grace_days: -3 } }]\n',
      'a.yaml:2:35 steps[0].settings.grace_days must be at least 0, not -3',
    ],
    [
      'a missing field',
      'name: x\nsteps:\n  - create-session: { order_reference: A }\n',
      'a.yaml:3:21 steps[0].create-session needs total_amount',
    ],
    [
      'an amount that is a text',
      'name: x\nsteps:\n  - create-session: { order_reference: A, total_amount: "1e3" }\n',
      'a.yaml:3:57 steps[0].create-session.total_amount must be a whole number, not "1e3"',
    ],
    [
      'an amount with a fraction',
      'name: x\nsteps:\n  - create-session: { order_reference: A, total_amount: 12.345 }\n',
      'a.yaml:3:57 steps[0].create-session.total_amount must be a whole number, not 12.345',
    ],
    [
      'a step that does nothing',
      'name: x\nsteps:\n  - name: idle\n',
      'a.yaml:3:5 steps[0] needs one of create-session, accept,',
    ],
    [
      'two steps in one',
      'name: x\nsteps:\n  - pay: { session: x }\n    cancel-checkout: { session: x }\n',
      'a.yaml:4:5 steps[0]: only one of pay and cancel-checkout is allowed here',
    ],
    [
      'a name that no step bears',
      `${OPENED}  - pay: { session: "\${ordr.id}" }\n`,
      'a.yaml:6:21 steps[1].pay.session refers to ordr, which no earlier step defines. Did you mean order?',
    ],
    [
      'a name of a later step',
      `name: x\nsteps:\n  - pay: { session: "\${order.id}" }\n  - accept: { session: a, customer_name: b, customer_email: c }\n    as: order\n`,
      'a.yaml:3:21 steps[0].pay.session refers to order',
    ],
    ['a name that is taken', `${OPENED}${OPENED.split('steps:')[1]}`, 'a.yaml:8:9 steps[1].as is taken'],
    [
      'a bad duration',
      'name: x\nsteps: [{ advance: { by: 14dd } }]\n',
      'a.yaml:2:26 steps[0].advance.by must be a duration',
    ],
    [
      'a bad instant',
      'name: x\nsteps: [{ advance: { to: 2026-02-30 } }]\n',
      'a.yaml:2:26 steps[0].advance.to must be an ISO 8601',
    ],
    [
      'a bad condition',
      `${OPENED}  - advance: { until: "\${order.id}=expird" }\n`,
      'a.yaml:6:23 steps[1].advance.until must be a condition',
    ],
    [
      'a field of another kind of fault',
      `${OPENED}  - fault: { kind: duplicate, operation: createSession }\n`,
      'a.yaml:6:31 steps[1].fault: The operation field does not belong to the kind duplicate.',
    ],
    [
      'a fault that can never strike',
      `${OPENED}  - fault: { kind: error, operation: createSession, method: GET }\n`,
      'a.yaml:6:53 steps[1].fault: The method field does not fit the operation createSession',
    ],
    [
      'a header name that HTTP does not allow',
      `${OPENED}  - request: { method: GET, path: /v1/ping, headers: { "x a": b } }\n`,
      'a.yaml:6:56 steps[1].request.headers: HTTP does not allow the header name "x a"',
    ],
    [
      'a header with a line break',
      `${OPENED}  - request: { method: GET, path: /v1/ping, headers: { x-a: "b\\r\\nc: d" } }\n`,
      'a.yaml:6:61 steps[1].request.headers.x-a contains a character that HTTP does not allow: "b\\r\\nc: d"',
    ],
    [
      'an idempotency key that no header can hold',
      OPENED.replace('20000', '20000, idempotency_key: €1'),
      'a.yaml:4:83 steps[0].create-session.idempotency_key contains a character that HTTP does not allow: "€1"',
    ],
    [
      'two destinations',
      'name: x\nsteps: [{ advance: { by: 1d, next: true } }]\n',
      'a.yaml:2:30 steps[0].advance: only one of by and next is allowed here',
    ],
    [
      'a bad clock',
      'name: x\nclock: soon\nsteps: [{ advance: { by: 1d } }]\n',
      'a.yaml:2:8 clock must be an ISO 8601 instant',
    ],
    [
      'a regular expression that cannot be read',
      `${OPENED}    expect: { emails: [{ to: "/(/" }] }\n`,
      'a.yaml:6:30 steps[0].expect.emails[0].to is not a valid regular expression',
    ],
    [
      'a response that is lost and has a status',
      `${OPENED}    expect: { answer: lost, status: 503 }\n`,
      'a.yaml:6:29 steps[0].expect: only one of answer and status is allowed here',
    ],
    [
      'an amount without end',
      OPENED.replace('20000', '.inf'),
      'a.yaml:4:59 steps[0].create-session.total_amount must be a whole number, not Infinity',
    ],
    [
      'a merge of what is no map',
      'name: &name x\nsteps: [{ <<: *name, advance: { by: 1d } }]\n',
      'a.yaml:2:15 must be a map, an alias for one, or a list of them, because << merges it',
    ],
    [
      'an unknown key in a map that is merged',
      `${OPENED}    expect: &wanted { statuss: 201 }\n  - advance: { by: 1d }\n    expect: { <<: *wanted }\n`,
      'a.yaml:8:13 steps[1].expect: statuss is not known. Did you mean status?',
    ],
    ['no steps', 'name: x\nsteps: []\n', 'a.yaml:2:8 steps must not be empty'],
    ['no name', 'steps: [{ advance: { by: 1d } }]\n', 'a.yaml:1:1 The scenario needs name'],
    ['a list', '- a\n', 'a.yaml:1:1 The scenario must be a map, not a list'],
    ['nothing', '', 'a.yaml:1:1 The scenario must be a map, not nothing'],
    ['text that is not YAML', 'name: "x\nsteps: [\n', 'a.yaml:'],
    ['a key twice', 'name: x\nname: y\nsteps: [{ advance: { by: 1d } }]\n', 'a.yaml:2:1 Map keys must be unique'],
    [
      'an alias to nothing',
      'name: x\nsteps: *nowhere\n',
      'a.yaml:2:8 *nowhere is an alias for an anchor that is not defined',
    ],
    [
      'an alias of itself',
      'name: x\nsteps: &s\n  - request: { method: GET, path: /, body: *s }\n',
      'a.yaml:3:44 *s is an alias for a value that contains it',
    ],
    [
      'a bomb of aliases',
      `name: x\nsteps:\n  - &a0 x\n${Array.from({ length: 9 }, (_, n) => `  - &a${n + 1} [${Array(10).fill(`*a${n}`)}]\n`).join('')}`,
      'a.yaml:8:38 *a4 and the aliases before it expand to more than 100,000 values',
    ],
    ['8,000 aliases', `name: &n x\nsteps: [${'*n,'.repeat(8_000)}]\n`, 'and 7980 more like these'],
    ['brackets without end', `name: ${'['.repeat(60_000)}`, 'a.yaml:1:106 is nested deeper than 100 levels'],
    ['maps in maps without end', `name: ${'{a: '.repeat(20_000)}`, 'is nested deeper than 100 levels'],
    ['keys without end', '? '.repeat(30_000), 'a.yaml:1:201 is nested deeper than 100 levels'],
    [
      'so many keys that comparing them takes too long',
      // Short keys, so that the file holds enough of them for a fast machine. Keys of digits could be equal numbers.
      Array.from(
        { length: 24_000 },
        (_, n) => `${n.toString(36).replace(/\d/g, (digit) => 'ABCDEFGHIJ'.charAt(Number(digit)))}:\n`,
      ).join(''),
      'a.yaml:1:1 takes too long to read',
    ],
    ['two documents', 'name: x\n---\nname: y\n', 'a.yaml:2:1 begins a second document. A file can hold only one.'],
    [
      'an expression that is too large',
      `${OPENED}    expect: { body: "/(${'('.repeat(100_000)}/" }\n`,
      'a.yaml:6:21 steps[0].expect.body is not a valid regular expression',
    ],
    ['a file that is too large', `name: ${'x'.repeat(300_000)}`, 'a.yaml is larger than 128 KiB. Make it'],
    [
      'UTF-16, as Windows PowerShell writes it',
      Buffer.from(`\uFEFF${OPENED}`, 'utf16le'),
      'a.yaml is not encoded in UTF-8. Save it in that encoding.',
    ],
    [
      'Latin-1',
      Buffer.from(OPENED.replace('A-1', 'Zoë'), 'latin1'),
      'a.yaml is not encoded in UTF-8. Save it in that encoding.',
    ],
  ] as const) {
    testMistaken(name, text, (lines) => {
      const told = lines.join('\n');
      expect(told).toContain(sentence);
      expect(told).not.toMatch(/^\s+at /m);
    });
  }

  // The control plane refuses the first of several, and the program ends.
  test.each([
    [
      'a merchant that the control plane refuses',
      OPENED.replace('steps:', 'merchant: { state: texas, settings: { min_order_amount: 600000 } }\nsteps:'),
      'a.yaml:3:20 merchant: The state field must be 2 characters.',
    ],
    [
      'settings of the merchant that contradict each other',
      OPENED.replace('steps:', 'merchant: { settings: { min_order_amount: 600000 } }\nsteps:'),
      'merchant: The max order amount field must not be less than the min order amount.',
    ],
  ])('%s', async (_name, text, sentence) => {
    const { layaway } = await withFile(text);
    const { code, stdout, stderr } = await layaway('run', 'a.yaml');
    expect(stderr).toContain(sentence);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  testMistaken('a key that is a list is reported, and nothing of the parser', `${OPENED}? [a, b]\n: c\n`, (lines) => {
    expect(lines).toEqual([expect.stringContaining('a.yaml:2:1 [ a, b ] is not known.')]);
  });

  for (const merged of ['*unknown', '[*known, *unknown]', '[{ a: 1 }, *unknown]']) {
    const text = `name: x\nx: &known { a: 1 }\nsteps: [{ <<: ${merged} }]\n`;
    testMistaken(`a merge of ${merged} reports the unknown alias and nothing else`, text, (lines) => {
      const column = 15 + merged.indexOf('*unknown');
      expect(lines).toEqual([`a.yaml:3:${column} *unknown is an alias for an anchor that is not defined before it`]);
    });
  }

  testPlayed(
    'merge keys take over what a map has, except what stands beside them',
    `
name: merged
steps:
  - create-session: &order { order_reference: A-1, total_amount: 20000 }
  - create-session: { <<: *order, order_reference: A-2 }
    expect: { body: { data: { order_reference: A-2, total_amount: 20000 } } }
  - create-session: { <<: [{ order_reference: A-3 }, *order] }
    expect: { body: { data: { order_reference: A-3, total_amount: 20000 } } }
  - create-session: { total_amount: 1, <<: *order }
    expect: { status: 422 }
`,
    ({ status }) => {
      expect(status).toBe('passed');
    },
  );

  test('a file that never ends', async () => {
    const { layaway } = await withFile('');
    const { code, stderr } = await layaway('run', '/dev/zero');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: '/dev/zero is larger than 128 KiB. Make it smaller.',
    });
  });

  testPlayed(
    '40,000 places that nothing closes are text, read in one pass',
    `name: x\nsteps: [{ pay: { session: "${'${'.repeat(40_000)}" } }]\n`,
    ({ status, told }) => {
      expect(status).toBe('failed');
      expect(told).toContain('The service refused');
    },
  );

  const create = `{ order_reference: ${'a'.repeat(40)}!, total_amount: 20000 }`;
  testPlayed(
    'an expression that takes too long fails its step, with line and column',
    `name: x\nsteps:\n  - create-session: ${create}\n    expect: { body: { data: { order_reference: "/^(a+)+$/" } } }\n`,
    ({ status, told }) => {
      expect(status).toBe('failed');
      expect(told).toContain('a.yaml:4:48 The regular expression /^(a+)+$/ took longer than 400 ms.');
    },
  );

  const protoExpected = (expected: string) => `name: x
steps:
  - request:
      method: POST
      path: /v1/sessions
      body:
        order_reference: A-1
        total_amount: 20000
        return_url: https://example.com/return
        cancel_url: https://example.com/cancel
        metadata: { __proto__: sent, other: x }
    expect: { status: 201, body: { data: { metadata: { __proto__: ${expected} } } } }
`;
  testPlayed(
    '__proto__ is an ordinary key of a request and of what is expected',
    protoExpected('sent'),
    ({ status }) => {
      expect(status).toBe('passed');
    },
  );
  testPlayed('__proto__ with another value than expected is a difference', protoExpected('another'), ({ status }) => {
    expect(status).toBe('failed');
  });

  test('every mistake of every file is reported, and none is played', async () => {
    const { place, layaway } = await withFile(OPENED, { env: { GITHUB_ACTIONS: 'false' } });
    await writeFile(join(place.cwd, 'b.yaml'), 'name: x\nsteps:\n  - pai: {}\n  - advance: { by: soon }\n');
    await writeFile(join(place.cwd, 'c.json'), '{\n\t"name": "x",\n\t"steps": [{ "advanse": {} }]\n}\n');
    const { code, stdout, stderr } = await layaway('run', 'a.yaml', 'b.yaml', 'c.json');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.split('\n')).toEqual([
      'b.yaml:3:5 steps[0]: pai is not known. Did you mean pay?',
      'b.yaml:4:20 steps[1].advance.by must be a duration, like 36h, 30d, 2w, 3mo or P1M, not "soon"',
      'c.json:3:14 steps[0]: advanse is not known. Did you mean advance?',
    ]);
  });

  testMistaken(
    'a bad clock, a name that no step bears and a form are reported among misspelt keys, in the order of the steps',
    `
name: x
clock: soon
steps:
  - pai: {}
    as: paid
  - advance: { by: 14dd }
  - accept: { session: "\${paid.id} \${nobody.id}", customer_name: a, customer_email: b }
`,
    (lines) => {
      expect(lines).toEqual([
        expect.stringMatching(/^a\.yaml:3:8 clock must be an ISO 8601 instant/),
        'a.yaml:5:5 steps[0]: pai is not known. Did you mean pay?',
        expect.stringMatching(/^a\.yaml:7:20 steps\[1\]\.advance\.by must be a duration/),
        expect.stringMatching(
          /^a\.yaml:8:24 steps\[2\]\.accept\.session refers to nobody, which no earlier step defines/,
        ),
      ]);
    },
  );

  const refused = '  - fault: { kind: duplicate, operation: createSession }\n    expect: { status: 422 }\n';
  testPlayed('a fault that the control plane refuses can be expected', `${OPENED}${refused}`, ({ status }) => {
    expect(status).toBe('passed');
  });

  test('JSON is read as well', async () => {
    const json = { name: 'json', steps: [{ 'create-session': { order_reference: 'A', total_amount: 20000 } }] };
    const { layaway } = await withFile(JSON.stringify(json, null, '\t'), { name: 'a.json' });
    expect(await layaway('run', 'a.json')).toMatchObject({ code: 0, stderr: '' });
  });

  test.each([
    ['a file that is not there', ['none.yaml'], 'There is no file none.yaml.'],
    ['a directory', ['.'], '. is a directory.'],
    ['no file at all', [], 'Missing scenario files'],
    ['a reporter that is none', ['a.yaml', '--reporter', 'tap'], 'spec, json, junit'],
    ['a seed that is none', ['a.yaml', '--seed', 'x'], 'whole number'],
  ])('%s is 2', async (_name, args, sentence) => {
    const { layaway } = await withFile(OPENED);
    const { code, stdout, stderr } = await layaway('run', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
  });
});

describe('interface §2: layaway run', () => {
  test.each([
    [['--output', 'a.yaml'], '--output would overwrite a.yaml, which looks like a scenario. Name another file.'],
    [['--trace', './c.json'], '--trace would overwrite ./c.json, which looks like a scenario. Name another file.'],
    [
      ['--output', 'x.json', '--coverage', './x.json'],
      '--output and --coverage name the same file, ./x.json. Name two files.',
    ],
    [['--output', 'x', '--trace', 'x'], '--output and --trace name the same file, x. Name two files.'],
  ])('overwrites neither a scenario nor one of its files with another: %j', async (words, sentence) => {
    const { place, layaway } = await withFile(OPENED);
    await writeFile(join(place.cwd, 'c.json'), '{}');
    expect(await layaway('run', 'c.json', ...words)).toMatchObject({ code: 2, stdout: '', stderr: sentence });
    expect(await readFile(join(place.cwd, 'a.yaml'), 'utf8')).toBe(OPENED);
  });

  test.each(['--output', '--trace'])('%s that took the only scenario for its file says so', async (flag) => {
    const { layaway } = await withFile(OPENED);
    expect(await layaway('run', flag, 'a.yaml')).toMatchObject({
      code: 2,
      stderr: `${flag} would overwrite a.yaml, which looks like a scenario. Name another file.`,
    });
  });

  test('tells each step on stdout', async () => {
    const { layaway } = await withFile(COMPLETED);
    expect(await layaway('run', 'a.yaml')).toMatchObject({
      code: 0,
      stdout: [
        'completed  a.yaml',
        '  ✓ create-session → order',
        '  ✓ complete-checkout → plan  session.decision_made, contract.activated, session.completed',
        '1 scenario passed.',
      ].join('\n'),
      stderr: '',
    });
  });

  /** What the program says of `COMPLETED` with a reporter. */
  const said = (reporter: string) => {
    const known =
      saidBy.get(reporter) ??
      withFile(COMPLETED).then(({ layaway }) => layaway('run', 'a.yaml', '--reporter', reporter));
    saidBy.set(reporter, known);
    return known;
  };
  const saidBy = new Map<string, Promise<Ended>>();

  test.each(['spec', 'json', 'junit'] as const)('--output holds the %s report, stdout nothing', async (reporter) => {
    const { place, layaway } = await withFile(COMPLETED);
    const { code, stdout, stderr } = await layaway('run', 'a.yaml', '--reporter', reporter, '--output', 'report');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('1 scenario passed.');
    expect(await readFile(join(place.cwd, 'report'), 'utf8')).toBe(`${(await said(reporter)).stdout}\n`);
  });

  test('on GitHub Actions, each failed step is an annotation at its line, from the root of the checkout', async () => {
    const place = await emptyPlace({ GITHUB_ACTIONS: 'true' });
    await mkdir(join(place.cwd, 'shop'));
    const failing = `${COMPLETED.replace('name: completed', 'name: "50 %, done"')}    expect: { status: 201 }\n`;
    await writeFile(join(place.cwd, 'shop', 'a.yaml'), failing);
    const inShop = { cwd: join(place.cwd, 'shop'), env: { ...place.env, GITHUB_WORKSPACE: place.cwd } };
    const { code, stdout, stderr } = await runner(inShop)('run', 'a.yaml', '--reporter', 'json');
    expect(code).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject({ failed: 1 });
    expect(stderr.split('\n')[0]).toBe(
      '::error file=shop/a.yaml,line=9,col=15,title=50 %25%2C done%3A complete-checkout → plan::a.yaml:9:15 status%0A- expected: 201%0A+ actual:   200',
    );
  });

  test('on GitHub Actions, the checkout may be reached through a link', async () => {
    const place = await emptyPlace({ GITHUB_ACTIONS: 'true' });
    await mkdir(join(place.cwd, 'real', 'shop'), { recursive: true });
    await symlink('real', join(place.cwd, 'link'));
    await writeFile(join(place.cwd, 'real', 'shop', 'a.yaml'), 'name: mistaken\nsteps: []\n');
    const env = { ...place.env, GITHUB_WORKSPACE: join(place.cwd, 'link') };
    for (const file of ['a.yaml', join(place.cwd, 'link', 'shop', 'a.yaml')]) {
      const { stderr } = await runner({ cwd: join(place.cwd, 'link', 'shop'), env })('run', file);
      expect(stderr).toMatch(/^::error file=shop\/a.yaml,/);
    }
  });

  test('on GitHub Actions, each mistake in a file is an annotation, too', async () => {
    const place = await emptyPlace({ GITHUB_ACTIONS: 'true' });
    await writeFile(join(place.cwd, 'a.yaml'), 'name: mistaken\nsteps:\n  - advance: { bye: 1d }\n  - pays: {}\n');
    const { code, stderr } = await runner(place)('run', 'a.yaml', 'gone.yaml');
    expect(code).toBe(2);
    const annotations = stderr.split('\n').filter((line) => line.startsWith('::'));
    expect(annotations.map((line) => line.split('::')[1])).toEqual([
      'error file=a.yaml,line=3,col=16,title=The scenario is not valid',
      'error file=a.yaml,line=4,col=5,title=The scenario is not valid',
      'error file=gone.yaml,title=The scenario is not valid',
    ]);
    const [, , first] = annotations[0]?.split('::') ?? [];
    expect(stderr.split('\n')).toContain(`a.yaml:3:16 ${first}`);
  });

  test.each([
    ['report.xml', 'junit'],
    ['report.json', 'json'],
    ['report.txt', 'spec'],
  ])('without --reporter, %s holds the %s report', async (file, reporter) => {
    const { place, layaway } = await withFile(COMPLETED);
    await layaway('run', 'a.yaml', '--output', file);
    expect(await readFile(join(place.cwd, file), 'utf8')).toBe(`${(await said(reporter)).stdout}\n`);
  });

  test('with --json, a file holds the report that its flag or its ending names, otherwise JSON', async () => {
    const { place, layaway } = await withFile(COMPLETED);
    const [junit, json] = [(await said('junit')).stdout, (await said('json')).stdout];
    for (const [report, file, ...more] of [
      [junit, 'report.xml'],
      [junit, 'report', '--reporter', 'junit'],
      [json, 'report.json'],
      [json, 'report'],
    ] as const) {
      await layaway('run', 'a.yaml', '--json', '--output', file, ...more);
      expect(await readFile(join(place.cwd, file), 'utf8')).toBe(`${report}\n`);
    }
    expect((await layaway('run', 'a.yaml', '--json', '--reporter', 'junit')).stdout).toBe(json);
  });

  test.each([
    ['--output', 'a.yaml/report.json', 'a part of its path is not a directory'],
    ['--coverage', 'a.yaml/report.json', 'a part of its path is not a directory'],
    ['--output', 'reports/', 'it is a directory'],
  ])('a %s that cannot be written is 1, before anything is played: %j', async (flag, file, why) => {
    const { layaway } = await withFile(OPENED);
    const { code, stdout, stderr } = await layaway('run', 'a.yaml', flag, file);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(`The report cannot be written to ${file} (${why}). Name another file.`);
  });

  test('the folders of the report and of the coverage are made, as that of a trace is', async () => {
    const { place, layaway } = await withFile(OPENED);
    const { code, stderr } = await layaway(
      ...['run', 'a.yaml', '--reporter', 'junit', '--output', 'reports/ci/layaway.xml'],
      ...['--coverage', 'coverage/layaway.json'],
    );
    expect(code, stderr).toBe(0);
    expect(await readFile(join(place.cwd, 'reports/ci/layaway.xml'), 'utf8')).toContain('<testsuites');
    const coverage = await readFile(join(place.cwd, 'coverage/layaway.json'), 'utf8');
    expect(JSON.parse(coverage)).toMatchObject({ data: { met: 1 } });
  });

  const SHOWS_ID = `${OPENED}    expect: { body: { data: { id: shown } } }\n`;

  test('one seed draws the same ids, another seed others', async () => {
    const { layaway } = await withFile(SHOWS_ID);
    const [one, same, other] = [
      await layaway('run', 'a.yaml', '--json'),
      await layaway('run', 'a.yaml', '--json', '--seed', '1'),
      await layaway('run', 'a.yaml', '--json', '--seed', '0'),
    ];
    expect(one.stdout).toBe(same.stdout);
    expect(other.stdout).not.toBe(one.stdout);
    for (const { json } of [one, other]) expect(json.scenarios[0].steps[0].differences[0].actual).toMatch(/^cs_/);
  });

  test('is played in-process whatever the environment names, and leaves nothing behind', async () => {
    await using sim = await createSimulator();
    const { place, layaway } = await withFile(OPENED, { env: { ...sim.default.env } });
    expect((await layaway('run', 'a.yaml')).code).toBe(0);
    expect(readdirSync(place.cwd)).toEqual(['a.yaml']);
    expect(await sim.default.sessions.list()).toEqual([]);
  });
});

describe('interface §1: layaway run that a signal interrupts', () => {
  const WAITING = `${COMPLETED.replace('name: completed', 'name: waiting')}
  - wait: { event: contract.cancelled, timeout: 10m }
  - advance: { by: 1d }
`;

  /** Signals the program while the second of three scenarios waits. Its progress is on stderr, because the report is in a file. */
  async function interruptedRun(signal: NodeJS.Signals, ...flags: string[]) {
    const { place, layaway } = await withFile(OPENED);
    await writeFile(join(place.cwd, 'b.yaml'), WAITING);
    await writeFile(join(place.cwd, 'c.yaml'), COMPLETED);
    const child = start(place, ['run', 'a.yaml', 'b.yaml', 'c.yaml', '--output', 'report', ...flags]);
    for await (const line of child.iterable({ from: 'stderr' })) {
      // Again when it has arrived, as npm passes a Ctrl-C on.
      if (/complete-checkout|✗ wait/.test(line)) child.kill(signal);
    }
    const { exitCode, stdout, stderr } = await child;
    return { exitCode, stdout, stderr, layaway, read: (name: string) => readFile(join(place.cwd, name), 'utf8') };
  }

  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s: writes the report of what was played, also if the signal comes twice',
    async (signal) => {
      const { exitCode, stdout, stderr, read } = await interruptedRun(signal, '--reporter', 'json');
      expect([exitCode, stdout]).toEqual([130, '']);
      expect(stderr.split('\n').at(-1)).toBe('Interrupted: 1 of 3 scenarios passed, 1 failed, 1 not played.');
      const report = JSON.parse(await read('report'));
      expectDescribed(['run', 'a.yaml', '--json'], report);
      const steps = report.scenarios.map((each: { steps: { does: string; status: string; problem?: string }[] }) =>
        each.steps.map(({ does, status, problem = '' }) => [does, status, problem]),
      );
      expect(report).toMatchObject({
        passed: 1,
        failed: 1,
        skipped: 1,
        scenarios: [{ status: 'passed' }, { status: 'failed' }, { status: 'skipped' }],
      });
      expect(steps).toEqual([
        [['create-session', 'passed', '']],
        [
          ['create-session', 'passed', ''],
          ['complete-checkout', 'passed', ''],
          ['wait for contract.cancelled', 'failed', 'A signal interrupted the scenario here.'],
          ['advance by 1d', 'skipped', ''],
        ],
        [
          ['create-session', 'skipped', ''],
          ['complete-checkout', 'skipped', ''],
        ],
      ]);
    },
  );

  test('in junit the interrupted step is a failure, and what was not played is skipped', async () => {
    const { exitCode, read } = await interruptedRun('SIGTERM', '--reporter', 'junit');
    expect(exitCode).toBe(130);
    const report = await read('report');
    expect(report).toContain('<testsuites name="layaway run" tests="7" failures="1" skipped="3" errors="0" time="0">');
    expect(report).toContain('<failure message="A signal interrupted the scenario here.">b.yaml:10:5 A signal');
  });

  test('the coverage and the trace are written, too', async () => {
    const flags = ['--coverage', 'coverage.json', '--trace', 'run.layaway'];
    const { exitCode, stderr, layaway, read } = await interruptedRun('SIGTERM', ...flags);
    expect(exitCode).toBe(130);
    expect(stderr).toContain('Saved a trace.');
    const { situations } = JSON.parse(await read('coverage.json')).data;
    const met = (id: string) => situations.find((each: { id: string }) => each.id === id).met;
    // Both in the scenario that was played and in the one that was interrupted.
    expect(met('operations.createSession')).toBe(2);
    expect((await layaway('trace', 'show', 'run.layaway', '--json')).json.failure).toEqual({
      what: 'waiting',
      exit_code: 130,
      messages: ['✗ wait for contract.cancelled\n    b.yaml:10:5 A signal interrupted the scenario here.'],
    });
  });

  test('a server that no longer answers costs no report', { timeout: 20_000 }, async () => {
    const pair = { client_id: 'x', api_key: 'y', webhook_secret: 'z' };
    await using other = await otherServer(({ url }, response) => {
      // A second signal would end the program at once.
      if (url === '/v1/sessions') return child.kill('SIGTERM');
      if (!url?.includes('merchants')) return;
      response.writeHead(201, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ data: { sandbox: pair, live: pair } }));
    });
    const { place } = await withFile(OPENED);
    const at = ['--base-url', other.url, '--control-token', 'x', '--coverage', 'coverage.json'];
    const child = start(place, ['run', 'a.yaml', '--reporter', 'json', ...at]);
    const { exitCode, stdout } = await child;
    expect(exitCode).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ passed: 0, failed: 1 });
  });
});

describe('interface §5: --base-url', () => {
  test('takes the control token of the server that was started here', async () => {
    await using sim = await createSimulator();
    const { place, layaway } = await withFile(OPENED);
    await mkdir(join(place.cwd, '.layaway'));
    const pair = { client_id: 'x', api_key: 'y' };
    const file = { pid: process.pid, base_url: sim.url, control_token: sim.controlToken, sandbox: pair, live: pair };
    await writeFile(join(place.cwd, '.layaway', 'server.json'), JSON.stringify(file), { mode: 0o600 });
    expect((await layaway('run', 'a.yaml', '--base-url', sim.url)).code).toBe(0);
  });

  test('freezes the merchant’s clock where the scenario says', async () => {
    await using sim = await createSimulator({ clock: { runningFrom: '2030-01-01T00:00:00Z' } });
    const { layaway } = await withFile(
      `${OPENED.replace('steps:', 'clock: 2026-05-05T12:00:00Z\nsteps:')}    expect: { body: { data: { created_at: "2026-05-05T12:00:00.000000Z" } } }\n`,
    );
    const at = ['--base-url', sim.url, '--control-token', sim.controlToken];
    expect((await layaway('run', 'a.yaml', ...at)).code).toBe(0);
  });

  const PLATFORM_AND_WAIT = `
name: waiting
steps:
  - platform: { disabled: true }
  - wait: { event: contract.cancelled, timeout: 10m }
`;

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s stops a scenario, and the platform is as it was',
    async (signal) => {
      await using sim = await createSimulator();
      const { place } = await withFile(PLATFORM_AND_WAIT);
      // More scenarios than Node allows listeners before it warns.
      const before = Array.from({ length: 12 }, (_, n) => `before-${n}.yaml`);
      for (const name of before)
        await writeFile(join(place.cwd, name), 'name: before\nsteps:\n  - advance: { by: 1d }\n');
      const at = ['--base-url', sim.url, '--control-token', sim.controlToken];
      const platform = () => sim.platform.get();
      const words = ['run', ...before, 'a.yaml', ...at];
      await using running = await startReady(place, words, (line) => line.includes('platform'));
      expect(await platform()).toMatchObject({ disabled: true });
      running.signal(signal);
      const stderr = 'Interrupted: 12 of 13 scenarios passed, 1 failed.';
      expect(await running.ended).toMatchObject({ exitCode: 130, stderr });
      expect(await platform()).toMatchObject({ disabled: false });
    },
  );

  test('a second signal ends a scenario at once, even while its server gives no response', async () => {
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const pair = { client_id: 'x', api_key: 'y', webhook_secret: 'z' };
    const changes: string[] = [];
    await using other = await otherServer(({ method = '', url }, response) => {
      if (method === 'PATCH' && changes.push(method) > 1) return asked();
      const data = url?.includes('merchants') ? { sandbox: pair, live: pair } : url?.includes('platform') ? {} : [];
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
    });
    const { place } = await withFile(PLATFORM_AND_WAIT);
    const at = ['--base-url', other.url, '--control-token', 'x'];
    await using running = await startReady(place, ['run', 'a.yaml', ...at], (line) => line.includes('platform'));
    running.signal('SIGTERM');
    await isAsked;
    running.signal('SIGINT');
    // The report comes with the time that the first signal leaves.
    expect(await running.ended).toMatchObject({ exitCode: 130, stderr: expect.not.stringContaining('Interrupted') });
  });

  test('interface §11: its trace is that of the scenario, whoever asked the server last', async () => {
    await using sim = await createSimulator({ clock: { frozenAt: '2026-01-01T00:00:00Z' } });
    const waiting = `${OPENED}  - wait: { event: contract.cancelled, timeout: 60s }\n`;
    const { place, layaway } = await withFile(waiting);
    const at = ['--base-url', sim.url, '--control-token', sim.controlToken];
    const words = ['run', 'a.yaml', ...at, '--trace', 'run.layaway'];
    await using running = await startReady(place, words, (line) => line.includes('create-session'));
    await sim.default.v1.ping();
    running.signal('SIGINT');
    expect(await running.ended).toMatchObject({ exitCode: 130 });
    const [merchant] = await sim.listMerchants();
    const shown = (await layaway('trace', 'show', 'run.layaway', '--json')).json;
    expect(shown.failure).toMatchObject({ what: 'opened', client_id: merchant?.sandbox.client_id });
    const { stdout, stderr } = await layaway('trace', 'scenario', 'run.layaway');
    expect([stdout.match(/path: .*/g), stderr]).toEqual([['path: /v1/sessions'], '']);
  });

  test('a scenario whose account was reset has no coverage; the others are played', async () => {
    await using sim = await createSimulator();
    const { place, layaway } = await withFile(`${OPENED}  - request: { method: POST, path: /_sim/reset }\n`);
    await writeFile(join(place.cwd, 'b.yaml'), OPENED);
    const at = ['--base-url', sim.url, '--control-token', sim.controlToken];
    const words = ['run', 'a.yaml', 'b.yaml', ...at, '--coverage', 'coverage.json', '--trace', 'run.layaway'];
    const { code, stdout, stderr } = await layaway(...words);
    expect([code, stdout]).toEqual([5, expect.stringMatching(/✗ request POST \/_sim\/reset[^✗]*✓ create-session/)]);
    expect(stderr.split('\n')).toEqual([
      'The coverage leaves out a.yaml: 401 Unauthenticated.',
      'Saved a trace. To look at it, run `layaway trace open run.layaway`.',
      '1 of 2 scenarios failed.',
    ]);
    const { situations } = JSON.parse(await readFile(join(place.cwd, 'coverage.json'), 'utf8')).data;
    expect(situations.filter(({ met }: { met: number }) => met > 0)).toMatchObject([
      { id: 'operations.createSession', met: 1 },
    ]);
  });

  test('a trace that the server refuses is not written', async () => {
    const pair = { client_id: 'x', api_key: 'y', webhook_secret: 'z' };
    await using other = await otherServer(({ url = '' }, response) => {
      const data = url.includes('merchants') ? { sandbox: pair, live: pair } : [];
      const isTrace = url.startsWith('/_sim/trace');
      response.writeHead(isTrace ? 401 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isTrace ? { message: 'Unauthenticated.' } : { data }));
    });
    const steps = 'steps:\n  - platform: { disabled: true }\n    expect: { events: [contract.activated] }\n';
    const { place, layaway } = await withFile(`name: fails\n${steps}`);
    const at = ['--base-url', other.url, '--control-token', 'x', '--trace', 'run.layaway'];
    const { code, stderr } = await layaway('run', 'a.yaml', ...at);
    expect([code, stderr.split('\n')]).toEqual([
      5,
      [`${other.url} gave no trace: 401 Unauthenticated.`, '1 of 1 scenario failed.'],
    ]);
    expect(readdirSync(place.cwd)).not.toContain('run.layaway');
  });

  test('nobody there is 4', async () => {
    const { layaway } = await withFile(OPENED);
    const { code, stdout, stderr } = await layaway(
      'run',
      'a.yaml',
      '--base-url',
      'http://127.0.0.1:9',
      '--control-token',
      'x',
    );
    expect(code).toBe(4);
    expect(stdout).toBe('');
    expect(stderr).toContain('Nothing answers at http://127.0.0.1:9');
  });

  test('a server that goes away is 4; the report in a file has what was played before', async () => {
    const pair = { client_id: 'x', api_key: 'y', webhook_secret: 'z' };
    await using other = await otherServer(({ url }, response) => {
      if (url === '/_sim/clock/advance') return void response.socket?.destroy();
      const data = url?.includes('merchants') ? { sandbox: pair, live: pair } : url?.includes('platform') ? {} : [];
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
    });
    const disabled = 'steps:\n  - platform: { disabled: true }\n';
    const { place, layaway } = await withFile(`name: plays\n${disabled}`);
    await writeFile(join(place.cwd, 'b.yaml'), `name: breaks off\n${disabled}${'  - advance: { by: 1d }\n'.repeat(2)}`);
    const words = ['run', 'a.yaml', 'b.yaml', 'a.yaml', '--base-url', other.url, '--control-token', 'x'];
    const { code, stderr } = await layaway(...words, '--reporter', 'json', '--output', 'report');
    expect(code).toBe(4);
    const message = stderr.split('\n').at(-1);
    expect(message).toContain(other.url);
    const { scenarios, ...counts } = JSON.parse(await readFile(join(place.cwd, 'report'), 'utf8'));
    expect(counts).toEqual({ passed: 1, failed: 1, skipped: 1 });
    expect(scenarios[1]).toMatchObject({
      status: 'failed',
      steps: [{ status: 'passed' }, { status: 'failed', problem: message }, { status: 'skipped' }],
    });
    // Without the file, stdout is left to the error.
    expect(await layaway(...words, '--json')).toMatchObject({ code: 4, stdout: '' });
  });

  test('without a file for the report, a server that goes away costs neither the coverage nor the annotations', async () => {
    await using sim = await createSimulator();
    const coverage = await sim.default.coverage();
    const pair = { client_id: 'x', api_key: 'y', webhook_secret: 'z' };
    await using other = await otherServer(({ url = '' }, response) => {
      if (url === '/_sim/clock/advance') return void response.socket?.destroy();
      const answers = { merchants: { sandbox: pair, live: pair }, platform: {}, coverage };
      const [, data = []] = Object.entries(answers).find(([name]) => url.includes(name)) ?? [];
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
    });
    const place = await emptyPlace({ GITHUB_ACTIONS: 'true' });
    const disabled = 'steps:\n  - platform: { disabled: true }\n';
    const expecting = '    expect: { events: [contract.activated] }\n';
    await writeFile(join(place.cwd, 'a.yaml'), `name: fails\n${disabled}${expecting}`);
    await writeFile(join(place.cwd, 'b.yaml'), `name: breaks off\n${disabled}  - advance: { by: 1d }\n`);
    const at = ['--base-url', other.url, '--control-token', 'x'];
    for (const report of [[], ['--json']]) {
      const words = ['run', 'a.yaml', 'b.yaml', ...at, '--coverage', 'coverage.json', ...report];
      const { code, stdout, stderr } = await runner(place)(...words);
      expect(code).toBe(4);
      expect(stdout).toMatch(report.length > 0 ? /^$/ : /breaks off/);
      expect(stderr.match(/^::error file=\w+/gm)).toEqual(['::error file=a', '::error file=b']);
      expect(stderr.split('\n').at(-1)).toContain(other.url);
      const written = JSON.parse(await readFile(join(place.cwd, 'coverage.json'), 'utf8'));
      expect(written).toEqual({ data: coverage });
      await rm(join(place.cwd, 'coverage.json'));
    }
  });

  test.each([
    [200, 4, 'is not the Layaway Checkout Service'],
    [404, 3, 'has no control plane'],
  ])('a server of another kind, which answers %i, is %i', async (status, expected, why) => {
    await using other = await otherServer((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end('{"hello":1}');
    });
    const { layaway } = await withFile(OPENED);
    const { code, stderr } = await layaway('run', 'a.yaml', '--base-url', other.url, '--control-token', 'x');
    expect(code).toBe(expected);
    expect(stderr).toContain(why);
  });

  test('without a control token is 2, with a wrong one 3', async () => {
    await using sim = await createSimulator();
    const { layaway } = await withFile(OPENED);
    const without = await layaway('run', 'a.yaml', '--base-url', sim.url);
    expect(without.code).toBe(2);
    expect(without.stderr).toContain('--control-token');
    const wrong = await layaway('run', 'a.yaml', '--base-url', sim.url, '--control-token', 'wrong', '--json');
    expect({ code: wrong.code, json: wrong.json }).toEqual({ code: 3, json: { message: 'Unauthenticated.' } });
    expect(wrong.stderr).toBe(`The control token does not match the server at ${sim.url}.`);
  });

  test('a scenario that needs a server of its own is 2, before any is played', async () => {
    await using sim = await createSimulator();
    const { place, layaway } = await withFile(OPENED.replace('steps:', 'rate_limit: 3\nsteps:'));
    await writeFile(join(place.cwd, 'first.yaml'), OPENED);
    const at = ['--base-url', sim.url, '--control-token', sim.controlToken];
    const { code, stdout, stderr } = await layaway('run', 'first.yaml', 'a.yaml', ...at);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe('a.yaml:3:1 rate_limit needs a simulator of the scenario’s own. Run it without --base-url.');
  });
});
