import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { CACHE, needing } from '../support/programs.ts';

const BIN = join(inject('layaway'), 'bin/layaway.js');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'layaway-helpers-'));
  await cp(join(inject('layaway'), 'fixtures/testing'), folder, { recursive: true, dereference: true });
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

/** A command in the folder of one helper, as a store copies it, without the variables of a simulator. */
const alone = (name: string, [program, ...args]: readonly [string, ...string[]], more: NodeJS.ProcessEnv = {}) =>
  execa(program, args, {
    cwd: join(folder, name),
    env: { LAYAWAY_BASE_URL: undefined, LAYAWAY_CONTROL_TOKEN: undefined, ...more },
    reject: false,
    all: true,
    stdin: 'ignore',
  });

/** The same beside a program that answers every request with a page, as a proxy does. */
async function behindPage(name: string, command: readonly [string, ...string[]], more: NodeJS.ProcessEnv = {}) {
  const server = createServer((_, response) => response.writeHead(502).end('<h1>Bad Gateway</h1>'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const env = { ...more, LAYAWAY_BASE_URL: `http://127.0.0.1:${port}`, LAYAWAY_CONTROL_TOKEN: 'token' };
  const { all } = await alone(name, command, env);
  server.close();
  return all;
}
const PAGE = /502:? <h1>Bad Gateway<\/h1>/;

/** The same under `layaway exec`. */
const under = (name: string, command: readonly string[], more?: NodeJS.ProcessEnv) =>
  alone(name, [process.execPath, BIN, 'exec', '--seed', '1', '--', ...command], more);

describe('the helper in JavaScript', () => {
  const command = [process.execPath, '--test', '--test-reporter=tap'] as const;
  it('gives each test a merchant and moves its clock', async () => {
    const { exitCode, all } = await under('javascript', command);
    expect(exitCode, all).toBe(0);
    expect(all).toMatch(/^# pass 2$/m);
  });
  it('says without a simulator how to run the tests', async () => {
    expect(await alone('javascript', command)).toMatchObject({
      failed: true,
      all: expect.stringContaining('LAYAWAY_CONTROL_TOKEN is not set. Run the tests with: layaway exec -- bun test'),
    });
  });
  it('shows what another program answered', async () => {
    expect(await behindPage('javascript', command)).toMatch(PAGE);
  });
});

describe('the helper for pytest', needing('python3', 'pytest'), () => {
  const command = ['pytest', '-q', '-p', 'no:cacheprovider'] as const;
  it('gives each test a merchant and moves its clock', async () => {
    const { exitCode, all } = await under('pytest', command);
    expect(exitCode, all).toBe(0);
    expect(all).toMatch(/^2 passed/m);
  });
  it('says without a simulator how to run the tests', async () => {
    expect(await alone('pytest', command)).toMatchObject({
      failed: true,
      all: expect.stringContaining('LAYAWAY_BASE_URL is not set. Run the tests with: layaway exec -- pytest'),
    });
  });
});

describe('the helper for unittest', needing('python3'), () => {
  it('needs no pytest', async () => {
    const suite = `import unittest
from layaway import Refused, Shop

class Orders(unittest.TestCase):
    def setUp(self):
        self.shop = Shop()

    def test_a_small_order_is_refused(self):
        with self.assertRaises(Refused) as refused:
            self.shop.open_session(total_amount=100)
        self.assertEqual(refused.exception.status, 422)
`;
    await writeFile(join(folder, 'pytest', 'orders.py'), suite);
    // Without site packages, so that pytest cannot be loaded where it is installed.
    const { exitCode, all } = await under('pytest', ['python3', '-S', '-m', 'unittest', 'orders']);
    expect(exitCode, all).toBe(0);
    expect(all).toMatch(/^Ran 1 test /m);
  });
  it('shows what another program answered', async () => {
    expect(await behindPage('pytest', ['python3', '-S', '-c', 'import layaway; layaway.Shop()'])).toMatch(PAGE);
  });
});

describe('the helper for PHPUnit', needing('phpunit'), () => {
  const command = ['phpunit', '--do-not-cache-result', 'MissedInstallmentTest.php'] as const;
  it('gives each test a merchant and moves its clock', async () => {
    const { exitCode, all } = await under('phpunit', command);
    expect(exitCode, all).toBe(0);
    expect(all).toMatch(/^OK \(2 tests, \d+ assertions\)$/m);
  });
  it('does so in the namespace of the tests, as docs/testing.md says', async () => {
    await mkdir(join(folder, 'namespaced'));
    for (const file of ['LayawayShop.php', 'MissedInstallmentTest.php']) {
      const text = await readFile(join(folder, 'phpunit', file), 'utf8');
      const namespaced = text.replace('declare(strict_types=1);', '$&\n\nnamespace Tests;');
      await writeFile(join(folder, 'namespaced', file), namespaced);
    }
    const { exitCode, all } = await under('namespaced', command);
    expect(exitCode, all).toBe(0);
    const { all: told } = await alone('namespaced', command);
    expect(told).toContain('RuntimeException: LAYAWAY_BASE_URL is not set.');
  });
  it('says without a simulator how to run the tests', async () => {
    expect(await alone('phpunit', command)).toMatchObject({
      failed: true,
      all: expect.stringContaining(
        'LAYAWAY_BASE_URL is not set. Run the tests with: layaway exec -- vendor/bin/phpunit',
      ),
    });
  });
  it('shows what another program answered', async () => {
    expect(await behindPage('phpunit', command)).toMatch(PAGE);
  });
});

describe('the helper for RSpec', needing('rspec'), () => {
  const command = ['rspec', '--warnings', 'missed_installment_spec.rb'] as const;
  it('gives each example a merchant and moves its clock', async () => {
    const { exitCode, all } = await under('rspec', command);
    expect(exitCode, all).toBe(0);
    expect(all).toMatch(/^2 examples, 0 failures$/m);
    expect(all).not.toMatch(/layaway\.rb:\d+: warning/);
  });
  it('says without a simulator how to run the examples', async () => {
    expect(await alone('rspec', command)).toMatchObject({
      failed: true,
      all: expect.stringContaining(
        'LAYAWAY_BASE_URL is not set. Run the examples with: layaway exec -- bundle exec rspec',
      ),
    });
  });
  it('shows what another program answered', async () => {
    expect(await behindPage('rspec', command)).toMatch(PAGE);
  });
});

describe('the helper for Go', needing('go'), () => {
  const env = () => ({
    // With the modules, so that only the first run compiles the standard library.
    GOCACHE: join(CACHE, 'go'),
    GOFLAGS: '-mod=mod',
    GOTOOLCHAIN: 'local',
    CGO_ENABLED: '0',
  });
  it('gives each test a merchant and moves its clock', async () => {
    const { exitCode, all } = await under('go', ['go', 'test', '-count=1', '-v', './...'], env());
    expect(exitCode, all).toBe(0);
    expect(all?.match(/^--- PASS/gm)).toHaveLength(3);
  });
  it('shows what another program answered', async () => {
    expect(await behindPage('go', ['go', 'test', '-count=1', './...'], env())).toMatch(PAGE);
  });
});

/** Jars of Debian: JUnit with its console, and what they need. */
const JUNIT = [
  ...['junit-jupiter-api', 'junit-jupiter-engine', 'junit-platform-commons', 'junit-platform-engine'],
  ...['junit-platform-launcher', 'junit-platform-reporting', 'junit-platform-console', 'apiguardian-api', 'opentest4j'],
  ...['opentest4j-reporting-events', 'opentest4j-reporting-schema', 'picocli', 'univocity-parsers'],
].map((name) => `/usr/share/java/${name}.jar`);

describe('the helper for JUnit', needing('javac'), () => {
  const classes = ['classes', ...JUNIT].join(delimiter);
  const launch = ['java', '-cp', classes, 'org.junit.platform.console.ConsoleLauncher', '--scan-classpath=classes'];
  it('gives each test a merchant and moves its clock', async () => {
    const sources = ['LayawayShop.java', 'MissedInstallmentTest.java'];
    // The jars name others that Debian calls otherwise.
    await execa('javac', ['-Xlint:all,-path', '-Werror', '-cp', classes, '-d', 'classes', ...sources], {
      cwd: join(folder, 'junit'),
    });
    const { exitCode, all } = await under('junit', launch);
    expect(exitCode, all).toBe(0);
    expect(all).toMatch(/ 2 tests successful /);
  });
  it('says without a simulator how to run the tests', async () => {
    expect(await alone('junit', launch as ['java'])).toMatchObject({
      failed: true,
      all: expect.stringContaining('LAYAWAY_BASE_URL is not set. Run the tests with: layaway exec -- mvn test'),
    });
  });
});
