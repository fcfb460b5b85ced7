import { describe, expect, test } from 'vitest';
import { OUTPUTS } from '../../src/cli/machine/outputs.ts';
import { SITUATIONS } from '../../src/operations/coverage.ts';
import { everyCommand } from '../support/commands.ts';
import { outputCheck } from '../support/outputs.ts';
import { emptyPlace, lines, oneProcess, plan, planByCommand, start, startReady } from './layaway.ts';

const { runner, withSimulator } = oneProcess();

interface Node {
  name: string;
  description: string;
  arguments: { name: string; required: boolean; variadic: boolean; description: string }[];
  flags: {
    name: string;
    type: string;
    default: unknown;
    required: boolean;
    repeatable: boolean;
    description: string;
  }[];
  exit_codes: Record<string, string>;
  output: object | null;
  commands: Node[];
}

const leaves = (node: Node, path: string[] = []): [string, Node][] => [
  ...(node.commands.length === 0 || node.output !== null ? [[path.join(' '), node] as [string, Node]] : []),
  ...node.commands.flatMap((each) => leaves(each, [...path, each.name])),
];

test('every command has a schema of its --json output, or is one that prints none', async () => {
  expect(Object.keys(OUTPUTS).sort()).toEqual(await everyCommand(({ hidden }) => !hidden));
  for (const [name, printed] of Object.entries(OUTPUTS)) if (printed) outputCheck(name);
});

describe('layaway --help --json', () => {
  test('is the whole tree of commands', async () => {
    const layaway = runner(await emptyPlace());
    const { json: tree, code } = await layaway('--help', '--json');
    expect(code).toBe(0);
    const found = leaves(tree as Node);
    expect(found.map(([name]) => name).sort()).toEqual(await everyCommand(({ hidden }) => !hidden));
    for (const [name, node] of found) {
      expect(node.description, name).toMatch(/\.$/);
      expect(node.output === null, name).toBe(OUTPUTS[name] === null);
      expect(node.exit_codes, name).toMatchObject({ 0: 'done', 2: 'usage error' });
      for (const each of [...node.flags, ...node.arguments])
        expect(each.description, `${name} ${each.name}`).not.toBe('');
      // interface §1: these end with 0 on a signal.
      expect(130 in node.exit_codes, name).toBe(!/^(serve|listen|mcp|trace open|events tail|logs tail)$/.test(name));
    }
    const without = (code: number) => found.flatMap(([name, { exit_codes }]) => (code in exit_codes ? [] : [name]));
    const awaiting = found.map(([name]) => name).filter((name) => !without(5).includes(name));
    expect(awaiting.sort()).toEqual([
      ...['certify', 'clock advance', 'compare', 'coverage', 'coverage merge', 'emails wait', 'env', 'events wait'],
      ...['exec', 'run', 'webhooks test', 'webhooks verify'],
    ]);
    const alone = ['completion', 'coverage merge', 'new', 'schema', 'serve', 'trace open', 'trace scenario'];
    const ofProfiles = without(4).filter((name) => name.startsWith('config '));
    expect(ofProfiles).toHaveLength(7);
    expect(without(4).sort()).toEqual([...alone, 'trace show', 'webhooks verify', ...ofProfiles].sort());
    expect(without(3)).toEqual(without(4));
    const create = found.find(([name]) => name === 'sessions create')?.[1];
    const flag = (name: string) => create?.flags.find((each) => each.name === name);
    const required = found.flatMap(([name, { flags }]) =>
      flags
        .filter((each) => each.required)
        .map((each) => ({ of: `${name} ${each.name}`, description: each.description })),
    );
    expect(required.map(({ of }) => of).sort()).toEqual([
      ...['compare --against', 'import --from', 'listen --forward-to', 'sessions accept --customer-name'],
      ...['sessions create --order-reference', 'sessions create --total-amount'],
      ...['webhooks verify --body', 'webhooks verify --headers'],
    ]);
    for (const { of, description } of required) expect(description, of).toContain('(required)');
    // Coverage names commands to paste, also where nobody can be asked.
    for (const [, command = ''] of SITUATIONS.flatMap(({ how }) => [...how.matchAll(/`layaway ([^`]+)`/g)])) {
      const needed = required.flatMap(({ of }) => {
        const [noun, verb, flag = ''] = of.split(' ');
        return command.startsWith(`${noun} ${verb} `) ? [flag] : [];
      });
      for (const flag of needed) expect(command).toContain(flag);
    }
    expect(flag('--order-reference')).toMatchObject({ type: 'string', required: true, default: null });
    expect(flag('--total-amount')).toMatchObject({ type: 'integer', required: true });
    expect(flag('--metadata')).toMatchObject({ type: 'map', required: false });
    const fault = found.find(([name]) => name === 'faults add')?.[1];
    expect(fault?.flags.find(({ name }) => name === '--retry-after')).toMatchObject({ type: 'integer' });
    // Flags that take a word beside a number.
    expect(fault?.flags.find(({ name }) => name === '--times')).toMatchObject({ type: 'string' });
    const serve = found.find(([name]) => name === 'serve')?.[1];
    expect(serve?.flags.find(({ name }) => name === '--rate-limit')).toMatchObject({ type: 'string' });
    const defaults: readonly [command: string, flag: string, value: unknown][] = [
      ['logs list', '--limit', 20],
      ['events list', '--limit', 100],
      ['events wait', '--timeout', '30s'],
      ['sessions pay', '--outcome', 'pay'],
      ['contracts create', '--days-ago', 1],
      // "that of the session" is no value.
      ['sessions accept', '--customer-email', null],
    ];
    for (const [command, flag, value] of defaults) {
      const flags = found.find(([name]) => name === command)?.[1].flags;
      expect(
        flags?.find(({ name }) => name === flag),
        `${command} ${flag}`,
      ).toMatchObject({ default: value });
    }
    const limit = found.find(([name]) => name === 'logs list')?.[1].flags.find(({ name }) => name === '--limit');
    expect(limit).toMatchObject({ type: 'integer' });
    expect(fault?.flags.find(({ name }) => name === '--status')).toMatchObject({ type: 'integer', default: 503 });
    const merchant = found.find(([name]) => name === 'merchants create')?.[1];
    expect(merchant?.flags.find(({ name }) => name === '--state')).toMatchObject({ type: 'string' });
    const get = found.find(([name]) => name === 'contracts get')?.[1];
    expect(get?.arguments).toEqual([{ name: 'ref', required: true, variadic: false, description: expect.any(String) }]);
    expect((tree as Node).flags.map(({ name }) => name)).toContain('--base-url');
    for (const [name, { flags }] of found) {
      for (const each of flags)
        if (each.name.startsWith('--no-')) expect(each.type, `${name} ${each.name}`).toBe('boolean');
    }
    const repeatable = found.flatMap(([name, { flags }]) =>
      flags.filter((each) => each.repeatable).map((each) => `${name} ${each.name}`),
    );
    const onServe = ['serve', 'exec'].flatMap((name) => [`${name} --allow-host`, `${name} --forward-to`]);
    const metadata = ['sessions create', 'contracts create', 'contracts update'].map((name) => `${name} --metadata`);
    const headers = ['certify', 'listen'].map((name) => `${name} --header`);
    const events = ['listen', 'webhooks add'].map((name) => `${name} --events`);
    const others = ['certify --only', 'certify --skip', 'keys create --scopes', 'merchants create --set'];
    expect(repeatable.sort()).toEqual([...onServe, ...metadata, ...headers, ...events, ...others].sort());
    // `--to`, `--next` and `--until` replace the duration.
    const advance = found.find(([name]) => name === 'clock advance')?.[1];
    expect(advance?.arguments).toEqual([expect.objectContaining({ name: 'duration', required: false })]);
  });

  test('of one noun, of one verb, and of one that does not exist', async () => {
    const layaway = runner(await emptyPlace());
    expect((await layaway('contracts', '--help', '--json')).json).toMatchObject({ name: 'contracts' });
    expect((await layaway('help', 'contracts', 'get', '--json')).json).toMatchObject({ name: 'get', commands: [] });
    expect((await layaway('--json', 'sessions', '--help')).json).toMatchObject({ name: 'sessions' });
    for (const base of [['--base-url', 'http://127.0.0.1:9'], ['--base-url=http://127.0.0.1:9']]) {
      expect((await layaway(...base, 'sessions', '--json', '-h')).json).toMatchObject({ name: 'sessions' });
    }
    const arranged = ['contracts', 'get', 'LAY-0000000000', '--json', '--help'];
    expect((await layaway(...arranged)).json).toMatchObject({ name: 'get' });
    expect((await layaway('sessions', 'list', '--status', 'pending', '--json', '--help')).json).toMatchObject({
      name: 'list',
    });
    const mistyped = await layaway('contracst', '--help', '--json');
    expect(mistyped).toMatchObject({ code: 2, stdout: '' });
    expect(mistyped.stderr).toContain('There is no command "contracst". Did you mean contracts?');
  });
});

describe('layaway schema', () => {
  test('prints the schema that the tree has', async () => {
    const layaway = runner(await emptyPlace());
    const { stdout, code } = await layaway('schema', 'contracts', 'get');
    expect(code).toBe(0);
    const [[, node] = []] = leaves((await layaway('contracts', 'get', '--help', '--json')).json as Node);
    expect(JSON.parse(stdout)).toEqual(node?.output);
  });

  test('says what has none', async () => {
    const layaway = runner(await emptyPlace());
    expect(await layaway('schema')).toMatchObject({ code: 2, stderr: expect.stringContaining('Missing command') });
    expect(await layaway('schema', 'exec')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no JSON'),
    });
    expect(await layaway('schema', 'clock')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^"clock" is several commands\. Name one: clock show, clock advance, .*clock forecast\.$/,
      ),
    });
    expect(await layaway('schema', 'contracts', 'gte')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean contracts get?'),
    });
    expect(await layaway('schema', 'constructor')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no command "constructor".'),
    });
    expect(await layaway('schema', 'session')).toMatchObject({
      code: 2,
      stderr: 'There is no command "session". Did you mean sessions?',
    });
  });
});

describe('every line of a stream fits the schema of its command', () => {
  const expectLine = (command: string, line: string) => {
    const check = outputCheck(command);
    const fits = check(JSON.parse(line));
    expect(fits, `${line} ${JSON.stringify(check.errors)}`).toBe(true);
  };

  test('serve', async () => {
    const place = await emptyPlace();
    const served = await startReady(place, [
      'serve',
      '--memory',
      '--port',
      '0',
      '--json',
      '--forward-to',
      'http://127.0.0.1:1/hook',
    ]);
    expectLine('serve', served.ready);
    const layaway = runner({ ...place, env: { ...place.env, LAYAWAY_BASE_URL: JSON.parse(served.ready).base_url } });
    await planByCommand(layaway);
    await layaway('clock', 'advance', '14d', '--json');
    await layaway('clock', 'freeze', '--json');
    const kinds = new Set<string>();
    while (kinds.size < 3) {
      const line = await served.next();
      expectLine('serve', line);
      kinds.add(JSON.parse(line).event);
    }
    expect([...kinds].sort()).toEqual(['clock', 'delivery', 'request']);
    await layaway('faults', 'add', 'lost_request', '--path', '/v1/ping', '--json');
    const { base_url, sandbox } = JSON.parse(served.ready);
    const pair = { 'x-client-id': sandbox.client_id, 'x-api-key': sandbox.api_key };
    await expect(fetch(`${base_url}/v1/ping`, { headers: pair })).rejects.toThrow();
    for (let lost = false; !lost; ) {
      const line = await served.next();
      expectLine('serve', line);
      lost = JSON.parse(line).status === null;
    }
    await served.stop();
  });

  test.each([
    ['events tail', ['events', 'tail', '--json']],
    ['logs tail', ['logs', 'tail', '--json']],
    ['listen', ['listen', '--forward-to', 'http://127.0.0.1:1/hook', '--json']],
  ] as const)('%s', async (command, args) => {
    await using cli = await withSimulator();
    const child = start(cli.place, [...args]);
    const next = lines(child);
    await new Promise((resolve) => child.stderr.once('data', resolve));
    await plan(cli.sim.default);
    expectLine(command, await next());
    child.kill('SIGTERM');
    await child;
  });
});
