import { cp, mkdtemp, readdir, readFile, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { GROUPS, MANIFEST } from '../../src/cli/manifest.ts';
import { createSimulator } from '../../src/index.ts';
import { bin, emptyPlace, oneProcess, runner as startedRunner } from './layaway.ts';

const place = await emptyPlace();
const { runner } = oneProcess();
const layaway = runner(place);

/** Every command there is: the nouns, and the verbs that each adds when it is loaded. */
async function everyCommand(): Promise<string[][]> {
  const commands: string[][] = [[]];
  for (const { name, load } of MANIFEST) {
    const noun = new Command(name);
    (await load()).default(noun);
    commands.push([name], ...noun.commands.map((verb) => [name, verb.name()]));
  }
  return commands;
}

const commands = (await everyCommand()).map((command) => ({ command, name: ['layaway', ...command].join(' ') }));

describe('interface §1: help', () => {
  test.each(commands)('$name --help shows a usage and one real example', async ({ command, name }) => {
    const { code, stdout, stderr } = await layaway(...command, '--help');
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect(stdout).toContain(`Usage: ${name}`);
    expect(stdout.match(/\nExample:\n {2}\$ (layaway .+)$/)?.[1]).toContain(name);
  });

  test('layaway help <noun> and layaway <noun> help are the help of that noun', async () => {
    const { stdout } = await layaway('contracts', '--help');
    expect((await layaway('help', 'contracts')).stdout).toBe(stdout);
    expect((await layaway('contracts', 'help')).stdout).toBe(stdout);
    expect((await layaway('contracts', 'help', 'get')).stdout).toContain('Usage: layaway contracts get <ref>');
  });

  test.each([
    [[], Object.keys(GROUPS).map((heading) => `${heading}:`)],
    [['contracts'], ['Commands:']],
  ])('%j --help lists the commands before the options', async (noun, groups) => {
    const { stdout } = await layaway(...noun, '--help');
    const headings = stdout.match(/^[A-Z][A-Za-z ]+:(?=\n)/gm);
    expect(headings?.slice(0, groups.length + 1)).toEqual([...groups, 'Options:']);
  });

  test('the help of a command lists its own options before those of every command', async () => {
    const { stdout } = await layaway('sessions', 'create', '--help');
    expect(stdout.match(/^(Options|Global Options|Example):|--order-reference <|--base-url </gm)).toEqual([
      'Options:',
      '--order-reference <',
      'Global Options:',
      '--base-url <',
      'Example:',
    ]);
  });

  test.each([
    ['merge', ['--format', '--output', '--fail-under', '--fail-on-findings']],
    ['clear', []],
  ])('coverage %s --help shows each option once, and none that only its noun takes', async (verb, own) => {
    const { stdout } = await layaway('coverage', verb, '--help');
    expect(stdout.match(/^ {2}--(format|output|fail-under|fail-on-findings|all)\b/gm) ?? []).toEqual(
      own.map((flag) => `  ${flag}`),
    );
    expect(stdout.match(/^ {2}--json\b/gm)).toHaveLength(1);
  });

  test('the help of a noun shows what must follow its verbs', async () => {
    const { stdout } = await layaway('contracts', '--help');
    expect(stdout).toMatch(/^ {2}get <ref> +Read a contract/m);
    expect(stdout).toMatch(/^ {2}settle <ref> \[n\] +Settle/m);
    expect((await layaway('clock', '--help')).stdout).toMatch(/^ {2}advance … +Move/m);
  });

  test.each([
    ['help', 'contracts'],
    ['contracts', 'help'],
    ['--base-url', 'http://127.0.0.1:9', 'help', 'contracts'],
    ['--debug', 'contracts', 'help'],
    ['contracts', '--debug', 'help'],
  ])('help may stand anywhere: layaway %s %s %s %s', async (...args) => {
    const { code, stdout } = await layaway(...args);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Usage: layaway contracts /);
  });

  test('a span that is waited is shown as one writes it', async () => {
    expect((await layaway('events', 'wait', '--help')).stdout).toContain('(default: 30s)');
    expect((await layaway('webhooks', 'verify', '--help')).stdout).toContain('(default: 5m)');
  });

  test.each([[['help']], [['completion', 'bash', '--json']]])(
    '%s loads commander and the manifest only',
    async (args) => {
      const coverage = await mkdtemp(join(tmpdir(), 'layaway-loaded-'));
      await startedRunner({ ...place, env: { ...place.env, NODE_V8_COVERAGE: coverage } })(...args);
      const [report = ''] = await readdir(coverage);
      const { result } = JSON.parse(await readFile(join(coverage, report), 'utf8')) as { result: { url: string }[] };
      const files = result.filter(({ url }) => url.startsWith('file:')).map(({ url }) => fileURLToPath(url));
      const code = (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
      expect(code).toContain('outputHelp');
      expect(code).not.toMatch(/FST_ERR|hexToAnsi256|better-sqlite3|configFileMode|ExitPromptError|_sim/);
      expect(code.length).toBeLessThan(105_000);
    },
  );
});

describe('interface §1: usage errors end with 2 and say what was meant', () => {
  test.each([
    [['sesions', 'list'], 'sessions'],
    [['contracts', 'cancle', 'LAY-1'], 'contracts cancel'],
    [['contracts', 'list', '--statsu', 'active'], '--status'],
    [['serve', '--prot', '1'], '--port'],
    [['serve', '--rate', '5'], '--rate-limit'],
    [['sessions', 'create', '--total=20000'], '--total-amount'],
    [['sessions', 'create', '--customer', 'Ada'], 'one of --customer-email, --customer-state'],
    [['sessions', 'list', '--client', 'x'], '--client-id'],
    [['coverage', 'merge', '--fail', '80'], 'one of --fail-under, --fail-on-findings'],
  ])('layaway %s', async (args, meant) => {
    const { code, stdout, stderr } = await layaway(...args);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(`Did you mean ${meant}?`);
  });

  test.each([
    [['evn'], 'There is no command "evn". Did you mean env?'],
    [['version'], 'There is no command "version". Did you mean --version?'],
    [['bogus', '--help'], 'There is no command "bogus".'],
    [['help', 'session'], 'There is no command "session". Did you mean sessions?'],
    [['session', 'list'], 'There is no command "session". Did you mean sessions?'],
    [['sessions', 'crate'], 'There is no command "sessions crate". Did you mean sessions create?'],
    [['--json', 'sessions', 'crate', '--order-reference', 'A-1'], 'There is no command "sessions crate". Did you mean'],
    [['coverage', 'mrge'], 'There is no command "coverage mrge". Did you mean coverage merge?'],
    [['coverage', '--all', 'mrge'], 'There is no command "coverage mrge". Did you mean coverage merge?'],
    [['sessions', 'crate', '--help'], 'There is no command "sessions crate". Did you mean sessions create?'],
    [['sessions', 'crate', '--help', '--json'], 'There is no command "sessions crate". Did you mean sessions create?'],
    [['serve', '--seed', '99999999999999999999'], 'from 0 to 9007199254740991'],
    [['exec', '--', ''], 'Missing command.'],
    [['run', 'a.yaml', '--chaos', '7', '--base-url', 'http://127.0.0.1:1'], '--chaos does not work with --base-url'],
    [['run', 'a.yaml', '--seed', '7', '--base-url', 'http://127.0.0.1:1'], '--seed does not work with --base-url'],
    [[], 'Usage: layaway'],
    [['sessions'], 'Usage: layaway sessions'],
    [['contracts', 'get'], 'contract reference'],
    [['contracts', 'get', 'LAY-1', 'LAY-2'], 'too many arguments'],
    [['faults', 'list', '#', 'how', 'often'], 'in zsh, run: setopt interactive_comments'],
    [['contracts', 'list', '--status', 'lost'], 'pending, active'],
    [['sessions', 'create', '--total-amount', '20000'], '--order-reference'],
    [['sessions', 'create', '--order-reference', 'A-1'], '--total-amount'],
    [['sessions', 'accept', 'cs_1'], '--customer-name'],
    [['clock', 'advance'], 'duration'],
    [['clock', 'advance', 'soon'], 'Invalid value "soon". It must be a duration'],
    [['clock', 'advance', '-1d'], 'Clocks only move forward.'],
    [['webhooks', 'add', 'ftp://x'], 'Invalid value "ftp://x". It must be a URL'],
    [['webhooks', 'add', '3000/bestellung ä'], 'Write it in ASCII: http://localhost:3000/bestellung%20%C3%A4'],
    [['listen', '-f', 'http://läden.example/'], 'Write it in ASCII: http://xn--lden-loa.example/'],
    [['clock', 'advance', '1d', '--next'], 'one of'],
    [['clock', 'advance', '--to', 'tomorrow'], 'ISO 8601'],
    [['clock', 'advance', '--until', 'lost'], 'condition'],
    [['clock', 'advance', '--until', 'LAY-1=lost'], 'one of these statuses: pending, active'],
    [['clock', 'advance', '--until', 'LAY-1#2=active'], 'one of these statuses: upcoming, due'],
    [['clock', 'advance', '--until', 'cs_1=lost'], 'one of these statuses: pending, decision_made'],
    [['faults', 'add', 'error', '--status', '501'], '500, 502, 503 or 504'],
    [['faults', 'add', 'throttled', '--status', '429'], '504. For 429, use the kind throttled without --status.'],
    [['faults', 'add', 'slow', '--delay', '61s'], 'at most 60 seconds'],
    [
      ['faults', 'add', 'error', '--delay', '3s'],
      '--delay does not belong to error, which takes --operation, --method, --path, --status, --retry-after, --times, --skip, --every.',
    ],
    [
      ['faults', 'add', 'lost_ack', '--method', 'GET'],
      '--method does not belong to lost_ack, which takes --event, --endpoint, --times, --skip, --every.',
    ],
    [['faults', 'add', 'error', '--operation', 'getHostedSession'], 'Allowed choices are ping'],
    [['events', 'wait', 'contract.lost'], 'contract.cancelled'],
    [['events', 'wait', 'contract.canceled'], 'Did you mean contract.cancelled? Event types: session.decision_made, '],
    [['webhooks', 'add', 'http://x', '-e', 'contract.canceled'], 'Did you mean contract.cancelled? Event types: '],
    [['listen', '-f', '3000', '-e', 'something'], 'Unknown event type "something". Event types: session.decision_made'],
    [['certify', '--webhook-url', '3000', '-H', 'Content-Length: 3'], 'Leave out Content-Length.'],
    [['emails', 'wait'], 'Missing --to, the recipient’s address, or --reference, the contract.'],
    [['emails', 'wait', '--to', 'a@example.com', '--timeout', 'long'], 'duration'],
    [['emails', 'wait', '--to', 'a@example.com', '--timeout', '1mo'], 'duration'],
    [['trace', 'save'], 'Missing trace file, such as checkout.layaway.'],
    [['trace', 'show'], 'Missing trace file, such as checkout.layaway.'],
    [['assumptions', 'set', 'grace_day', '3'], 'There is no assumption "grace_day". Did you mean grace_days?'],
    [['assumptions', 'set', 'grace_days', 'three'], 'whole number'],
    [['assumptions', 'set', 'disabled', 'yes'], 'must be true or false'],
    [['assumptions', 'set', 'installment_cadence', 'daily'], 'must be one of weekly, biweekly, monthly'],
    [['merchants', 'create', '--set', 'grace_day=3'], 'with a name of the account in `layaway assumptions list`'],
    [['merchants', 'create', '--set', 'disabled=true'], 'with a name of the account in `layaway assumptions list`'],
    [['merchants', 'create', '--set', 'legal_name=A LLC'], 'legal_name has a flag of its own: --legal-name.'],
    [['merchants', 'create', '--set', 'grace_days=3', '--set', 'grace_days=4'], 'The name grace_days appears twice.'],
    [['merchants', 'set'], 'Nothing to change.'],
    [['assumptions', 'set', 'page_size', '3'], 'is fixed and cannot be changed'],
    [['assumptions', 'set', 'rate_limit_key', '3'], 'layaway serve --rate-limit'],
    [['config', 'set', 'base-ulr', 'x'], 'Did you mean base-url?'],
    [['config', 'set', 'colour', 'x'], 'Available: base-url, client-id, api-key.'],
    [['config', 'set', 'api-key', 'x'], 'it must start with sk_test_'],
    [['config', 'set', 'api-key', 'sk_test_ä'], 'and continue with letters and digits'],
    [['config', 'set', 'base-url', 'ftp://x'], 'base URL'],
    [['config', 'use', ''], 'must not be empty'],
    [['config', 'get', 'base-url', '--profile', 'constructor'], 'There is no profile named constructor.'],
    [['contracts', 'outcomes', 'LAY-1', 'maybe'], 'pay or fail'],
    [['contracts', 'update', 'LAY-1'], '--order-reference'],
    [['contracts', 'update', 'LAY-1', '--metadata', 'a=1', '--clear-metadata'], 'cannot be used with'],
    [['contracts', 'update', 'LAY-1', '--metadata', 'a=1', '--metadata', 'a=2'], 'The key a appears twice.'],
    [['contracts', 'list', '--page', '2', '--all'], 'cannot be used with'],
    [['contracts', 'list', '--page', '2', '--order-reference', 'A-1'], 'cannot be used with'],
    [['contracts', 'settle', 'LAY-1', '0'], 'is not an installment number'],
    [['contracts', 'settle', 'LAY-1#1#2'], '"1#2" is not an installment number'],
    [['contracts', 'get', 'LAY-1#2'], 'Invalid value "LAY-1#2". It must be a contract, not an installment: LAY-1.'],
    [['contracts', 'cancel', 'LAY-1#2'], 'It must be a contract, not an installment: LAY-1.'],
    [['events', 'list', '--contract', 'LAY-1#2'], 'It must be a contract, not an installment: LAY-1.'],
    [['events', 'wait', 'installment.paid', '--contract', 'LAY-1#2'], 'It must be a contract'],
    [['emails', 'list', '--reference', 'LAY-1#2'], 'It must be a contract'],
    [['contracts', 'get', '..'], 'is not an id'],
    [['serve', '--port', '70000'], '65535'],
    [['listen', '--forward-to', '0'], 'It must be a URL'],
    [['serve', '--memory', '--data', 'x'], 'cannot be used with'],
    [['serve', '--rate-limit', 'none'], 'off'],
    [['serve', '--data', ''], 'must not be empty'],
    [['trace', 'save', ''], 'Invalid value "". It must not be empty.'],
    [['run', ''], 'Invalid value "". It must not be empty.'],
    [['events', 'wait', 'session.completed', '--contract', 'LAY-1'], 'Use --session instead of --contract.'],
    [
      ['events', 'wait', 'webhook.test', '--contract', 'LAY-1'],
      'webhook.test events have no contract. Leave out --contract.',
    ],
    [['events', 'wait', 'webhook.test', '--session', 'cs_1'], 'Leave out --session.'],
    [['exec', '--data', '--memory', '--', 'true'], '--data needs a value before --memory.'],
    [['exec', '--trace', '--', 'true'], '--trace needs a value before --.'],
    [['sessions', 'create', '--order-reference', '--total-amount', '20000'], 'If --total-amount is the value, write'],
    [['contracts', 'list', '--base-url', '--json'], '--base-url needs a value before --json.'],
    [['listen', '-f', '-e', '*'], '--forward-to needs a value before -e.'],
    [['exec', '--data', '--memry', '--', 'true'], '--data needs a value before --memry.'],
    [['run', '--output', '--json', 'a.yaml'], '--output needs a value before --json.'],
    [['run', '--output', '--base-url=localhost', 'a.yaml'], '--output needs a value before --base-url.'],
    [['listen', '-f', '--live', '3000'], '--forward-to needs a value before --live.'],
    [['contracts', 'update', 'LAY-1', '--metadata', '--x=1'], 'If --x=1 is the value, write --metadata=--x=1.'],
    [['contracts', 'update', 'LAY-1', '--metadata', '--x=a b'], "If --x=a b is the value, write '--metadata=--x=a b'."],
    [['--base-url', 'localhost', 'contracts', 'list'], 'base URL'],
    [['--profile', 'nowhere', 'contracts', 'list'], 'config use nowhere'],
    [['--profile', 'no where', 'contracts', 'list'], "`layaway config use 'no where'`"],
    [['--profile', '-no', 'config', 'get', 'base-url'], '`layaway config use -- -no`'],
  ])('layaway %s: stderr names what is missing, stdout is empty', async (args, says) => {
    const { code, stdout, stderr } = await layaway(...args);
    expect(stderr).toContain(says);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  test.each([
    ['after an equals sign, the name of a flag', ['--order-reference=--json'], '--json'],
    ['what begins with dashes but cannot be the name of a flag', ['--order-reference', '--two words'], '--two words'],
  ])('%s is a value like any other', async (_what, words, reference) => {
    await using sim = await createSimulator();
    const session = ['sessions', 'create', '--total-amount', '20000', ...words, '--base-url', sim.url];
    expect((await layaway(...session)).stdout).toMatch(new RegExp(`^order reference +${reference}$`, 'm'));
  });

  test.each([
    [['emails', 'list', '--to', '']],
    [['emails', 'list', '--reference', ' ']],
    [['emails', 'wait', '--to', '']],
    [['emails', 'wait', '--reference', '']],
    [['events', 'list', '--contract', '']],
    [['events', 'list', '--after', '']],
    [['events', 'wait', 'contract.activated', '--contract=']],
    [['events', 'wait', 'contract.activated', '--session', '']],
    [['sessions', 'list', '--order-reference', '']],
    [['contracts', 'list', '--order-reference', '']],
    [['webhooks', 'deliveries', '--event', '']],
    [['deliveries', 'list', '--endpoint', '']],
    [['logs', 'list', '--path', '']],
    [['faults', 'add', 'lost', '--endpoint', '']],
    [['faults', 'add', 'lost_answer', '--path', '']],
    [['certify', '--webhook-url', '1', '--observe', '']],
    [['certify', '--webhook-url', '1', '--checkout', '']],
    [['certify', '--webhook-url', '1', '--output', '']],
    [['run', 'a.yaml', '--output', '']],
    [['run', 'a.yaml', '--trace', '']],
    [['compare', '--against', 'real', '--output', '']],
    [['coverage', '--output', '']],
    [['coverage', 'merge', '']],
    [['trace', 'show', '']],
    [['exec', '--trace', '', '--', 'node', '--version']],
    [['import', '--from', 'real', '--fixture', '']],
    [['serve', '--fixture', '']],
  ])('layaway %j: an unset variable neither widens nor drops what is meant', async (args) => {
    const { code, stdout, stderr } = await layaway(...args);
    expect({ code, stdout, stderr }).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('empty') });
  });

  test('what takes the control token says so, when no place has it', async () => {
    await using sim = await createSimulator();
    const { code, stdout, stderr } = await layaway('merchants', 'list', '--base-url', sim.url);
    expect(stderr).toContain('control token');
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  test.each(['12.345', '1e3', '-5', '', ' 5', '0x10', '9007199254740993', '٣'])(
    'an amount of %j is refused before any request',
    async (amount) => {
      const { code, stderr } = await layaway('sessions', 'create', '--order-reference', 'A', '--total-amount', amount);
      expect(code).toBe(2);
      expect(stderr).toMatch(/cents|too large/);
    },
  );

  test.each(['novalue', '=v', ''])('a metadata pair of %j is refused before any request', async (pair) => {
    const { code, stderr } = await layaway('contracts', 'update', 'LAY-1', '--metadata', pair);
    expect(code).toBe(2);
    expect(stderr).toContain('key=value');
  });

  test('a key that no header can carry is refused', async () => {
    const { code, stderr } = await layaway(
      '--api-key',
      'sk\nx',
      '--base-url',
      'http://127.0.0.1:1',
      'contracts',
      'list',
    );
    expect(code).toBe(2);
    expect(stderr).toContain('header');
  });
});

test('--version prints the version of the package', async () => {
  expect(await layaway('--version')).toMatchObject({ code: 0, stdout: packageJson.version, stderr: '' });
});

test.each([[['--version', '--json']], [['--json', '-V']], [['contracts', '--version', '--json']]])(
  'interface §13: %s prints one JSON document with the version',
  async (args) => {
    const { code, json, stderr } = await layaway(...args);
    expect({ code, json, stderr }).toEqual({
      code: 0,
      json: { name: 'layaway', version: packageJson.version },
      stderr: '',
    });
  },
);

test('stack traces are shown with --debug only', async () => {
  const quiet = await layaway('contracts', 'list', '--base-url', 'http://127.0.0.1:1');
  const loud = await layaway('contracts', 'list', '--base-url', 'http://127.0.0.1:1', '--debug');
  expect(quiet.stderr).not.toContain('    at ');
  expect(loud.stderr).toContain('    at ');
  expect([quiet.code, loud.code]).toEqual([4, 4]);
});

test('a clone that was never built says in one sentence how to build it', async () => {
  const { cwd, env } = await emptyPlace();
  await cp(dirname(bin), join(cwd, 'bin'), { recursive: true });
  for (const args of [['serve'], ['--help'], []]) {
    const { exitCode, stdout, stderr } = await execa(process.execPath, [join(cwd, 'bin/layaway.js'), ...args], {
      env,
      reject: false,
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toBe(
      `layaway is not built yet. In ${await realpath(cwd)}, run npm ci && npm start, which also starts the server, or npm run build.`,
    );
  }
});
