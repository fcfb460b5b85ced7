import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCommand } from '../../src/certify/programs.ts';
import { isRunning } from '../support/child.ts';
import { needing } from '../support/programs.ts';

const run = (line: string, options: { timeoutMs?: number; signal?: AbortSignal } = {}) =>
  runCommand(line, { option: 'observe', env: {}, signal: undefined, ...options });

describe('a command of the store', needing('ps'), () => {
  /** A command that starts another one and waits for it, and the process id of that one, once it runs. */
  function waiting() {
    const file = join(mkdtempSync(join(tmpdir(), 'layaway-programs-')), 'pid');
    const pid = () => Number(readFileSync(file, 'utf8'));
    return { line: `sleep 600 & echo $! > '${file}'; wait; echo done`, pid };
  }

  test('prints and ends', async () => {
    expect(await run('echo paid; exit 3')).toEqual({ code: 3, stdout: 'paid\n' });
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

  test('one that a signal ends says so', async () => {
    await expect(run('kill -9 $$')).rejects.toThrow('The observe command "kill -9 $$" was ended by SIGKILL.');
  });

  test('one that does not exist says so', async () => {
    await expect(run('layaway-nowhere')).rejects.toThrow(/could not be run: .*not found/);
  });
});
