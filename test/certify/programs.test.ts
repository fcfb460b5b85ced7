import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readUrl, runCommand } from '../../src/certify/programs.ts';
import type { Outgoing } from '../../src/exchange.ts';
import { isRunning } from '../support/child.ts';
import { needing } from '../support/programs.ts';

const run = (line: string, options: { timeoutMs?: number; signal?: AbortSignal; env?: Record<string, string> } = {}) =>
  runCommand(line, { option: 'observe', env: {}, signal: undefined, ...options });

describe('a command of the store', needing('ps'), () => {
  /** A command that starts another one and waits for it, and the process id of that one, once it runs. */
  function waiting() {
    const file = join(mkdtempSync(join(tmpdir(), 'layaway-programs-')), 'pid');
    const pid = () => Number(readFileSync(file, 'utf8'));
    return { line: `sleep 600 & echo $! > '${file}'; wait; echo done`, pid };
  }

  test('prints and ends', async () => {
    const printed = { code: 3, stdout: 'paid\n', stderr: 'not all\n' };
    expect(await run('echo paid; echo not all >&2; exit 3')).toEqual(printed);
  });

  test('has the environment of this process, and in it what it is given', async () => {
    const { stdout } = await run('echo "$HOME"; echo "$PATH"', { env: { HOME: '/given' } });
    expect(stdout).toBe(`/given\n${process.env.PATH}\n`);
  });

  test('is given up in time, with all that it started', async () => {
    const { line, pid } = waiting();
    await expect(run(line, { timeoutMs: 300 })).rejects.toThrow(`"${line}" did not end within 0.3 s.`);
    await expect.poll(() => isRunning(pid())).toBe(false);
  });

  test('is stopped at once, with all that it started', async () => {
    const { line, pid } = waiting();
    const stopper = new AbortController();
    const running = run(line, { signal: stopper.signal });
    await expect.poll(pid).toBeGreaterThan(0);
    stopper.abort(new Error('interrupted'));
    await expect(running).rejects.toThrow('interrupted');
    await expect.poll(() => isRunning(pid())).toBe(false);
  });

  test('is not begun after the stop', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'layaway-programs-')), 'begun');
    const signal = AbortSignal.abort(new Error('interrupted'));
    await expect(run(`touch '${file}'`, { signal })).rejects.toThrow('interrupted');
    expect(existsSync(file)).toBe(false);
  });

  test('is ended if it prints without end', async () => {
    const { line, pid } = waiting();
    await expect(run(`${line.split(';')[0]}; while :; do printf '%1048576d' 1; done`)).rejects.toThrow(
      /done" printed more than 16 MiB\.$/,
    );
    await expect.poll(() => isRunning(pid())).toBe(false);
  });

  test('one that a signal ends says so', async () => {
    await expect(run('kill -9 $$')).rejects.toThrow('The observe command "kill -9 $$" was ended by SIGKILL.');
  });

  test.each([
    ['does not exist', './layaway-nowhere', /could not be run: .*not found\.$/],
    ['is no program', '/', /The observe command "\/" could not be run: /],
  ])('one that %s says so', async (_name, line, message) => {
    await expect(run(line)).rejects.toThrow(message);
  });
});

describe('a URL of the store', () => {
  const about = { contract: 'LAY-1', orderReference: 'A 1/ü', session: 'cs_1' };
  const asked: Outgoing[] = [];
  const answering = (status: number) => (outgoing: Outgoing) => {
    asked.push(outgoing);
    return Promise.resolve({ status, headers: {}, text: 'paid' });
  };

  test('names the order in each of its placeholders', async () => {
    const template = 'http://store/{contract}/{session}?of={order_reference}&again={contract}';
    await readUrl(template, about, { exchange: answering(200), insecure: true });
    expect(asked).toMatchObject([
      { method: 'GET', url: 'http://store/LAY-1/cs_1?of=A%201%2F%C3%BC&again=LAY-1', headers: {}, insecure: true },
    ]);
  });

  test.each([
    [200, null],
    [299, null],
    [300, 'HTTP 300'],
    [404, 'HTTP 404'],
    [199, 'HTTP 199'],
  ])('that is answered %i shows a state, or why not: %j', async (status, failure) => {
    expect(await readUrl('http://store/', about, { exchange: answering(status), insecure: false })).toEqual({
      text: 'paid',
      failure,
    });
  });

  test('that gives no response ends the examination with the reason', async () => {
    const gone = () => Promise.reject(new Error('timeout'));
    await expect(readUrl('http://store/{contract}', about, { exchange: gone, insecure: false })).rejects.toMatchObject({
      code: 'command',
      message: 'The observe URL http://store/LAY-1 gave no response: timeout.',
      cause: { message: 'timeout' },
    });
  });
});
