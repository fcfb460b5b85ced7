import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { shellQuoted } from '../../../src/cli/input/shell-quoted.ts';
import { isRunning } from '../../support/child.ts';
import { needing } from '../../support/programs.ts';
import { bin, emptyPlace, lines, quotedBin, runner, start } from '../layaway.ts';

const node = (script: string) => ['--', process.execPath, '--input-type=module', '-e', script];

/** Until `exec` has answered, it may not have got as far as to watch over the command. */
const WATCHED = "await fetch(process.env.LAYAWAY_BASE_URL + '/_sim/health');";
/** Prints its pid and the address, then stays; a signal is answered with a line and its own exit code. */
const STAYS = `
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => { console.log(signal); process.exit(9); });
  }
  ${WATCHED}
  console.log(process.pid);
  console.log(process.env.LAYAWAY_BASE_URL);
  setInterval(() => {}, 1000);
`;
const DEAF = `
  process.on('SIGTERM', () => {});
  ${WATCHED}
  console.log(process.pid);
  setInterval(() => {}, 1000);
`;

/** Resolves once the process is gone. */
async function gone(pid: number) {
  await expect.poll(() => isRunning(pid)).toBe(false);
}

const answers = (url: string) =>
  fetch(`${url}/_sim/health`).then(
    () => true,
    () => false,
  );

describe('interface §2: layaway exec and its processes', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s is passed on, and the command decides',
    needing('ps'),
    async (signal) => {
      const child = start(await emptyPlace(), ['exec', ...node(STAYS)]);
      const next = lines(child);
      const pid = Number(await next());
      const url = await next();
      expect(await answers(url)).toBe(true);
      child.kill(signal);
      expect(await next()).toBe(signal);
      expect((await child).exitCode).toBe(9);
      expect(await isRunning(pid)).toBe(false);
      expect(await answers(url)).toBe(false);
    },
  );

  test.each([
    ["Ada's first try.layaway", []],
    ['--first.layaway', ['--']],
  ])('the command that opens its trace can be pasted, whatever its name: %s', needing('sh'), async (file, dashes) => {
    const layaway = runner(await emptyPlace());
    const { stderr } = await layaway('exec', `--trace=${file}`, ...node('process.exit(1)'));
    const [, command = ''] = /run `layaway (trace open .+)`\.$/m.exec(stderr) ?? [];
    const { stdout } = await execa('sh', ['-c', `printf '%s\\n' ${command}`]);
    expect(stdout.split('\n')).toEqual(['trace', 'open', ...dashes, file]);
    expect((await layaway('trace', 'show', ...dashes, file)).code).toBe(0);
  });

  test('a disk without room keeps no half of a trace and of a report', needing('bash'), async () => {
    const { cwd, env } = await emptyPlace();
    const flags = ['--trace', 't.layaway', '--coverage', 'c.xml', ...node('process.exitCode = 3')];
    const { exitCode, stdout, stderr } = await execa(
      'bash',
      ['-c', 'ulimit -f 1; exec "$@"', 'bash', process.execPath, bin, 'exec', ...flags],
      { cwd, env: { PATH: process.env.PATH, ...env }, extendEnv: false, reject: false, stdin: 'ignore' },
    );
    expect([exitCode, stdout]).toEqual([3, '']);
    const why = '(the file would be larger than allowed)';
    expect(stderr).toContain(`The trace could not be written to t.layaway ${why}.`);
    expect(stderr).toContain('</testsuites>');
    expect(stderr).toContain(`The report could not be written to c.xml ${why}, so it was printed.`);
    const left = await readdir(cwd);
    expect(left.filter((name) => name.startsWith('t.') || name.startsWith('c.'))).toEqual([]);
  });

  test('a signal reaches what the command has started too', needing('sh', 'ps'), async () => {
    const child = start(await emptyPlace(), ['exec', '--', 'sh', '-c', 'sleep 600 & echo $!; wait']);
    const pid = Number(await lines(child)());
    child.kill('SIGTERM');
    expect((await child).exitCode).toBe(143);
    await gone(pid);
  });

  test('what the command left in the background is not left running', needing('sh', 'ps'), async () => {
    const { code, stdout } = await runner(await emptyPlace())(
      'exec',
      '--',
      'sh',
      '-c',
      'sleep 600 >&2 & echo $!; exit 3',
    );
    expect(code).toBe(3);
    await gone(Number(stdout));
  });

  test.each([
    ['what a command has started', ['--', 'sh', '-c', '"$@" & wait', 'sh', ...node(STAYS).slice(1)]],
    ['a command that does not listen', node(DEAF)],
  ] as const)('killed outright, it takes %s and the simulator with it', needing('ps', 'sh'), async (_name, command) => {
    const child = start(await emptyPlace(), ['exec', ...command]);
    const pid = Number(await lines(child)());
    child.kill('SIGKILL');
    await gone(pid);
  });

  test('a command that does not end when told to is ended', { timeout: 30_000, ...needing('ps') }, async () => {
    const child = start(await emptyPlace(), ['exec', ...node(DEAF)]);
    const pid = Number(await lines(child)());
    process.kill(child.pid as number, 'SIGTERM');
    expect((await child).exitCode).toBe(137);
    expect(await isRunning(pid)).toBe(false);
  });

  test('at a terminal Ctrl-C reaches the command once, and its code is passed on', needing('script'), async () => {
    const place = await emptyPlace();
    const counting = `
      let count = 0;
      process.on('SIGINT', () => { count += 1; setTimeout(() => { console.log('count ' + count); process.exit(4); }, 300); });
      console.log('ready');
      setInterval(() => {}, 1000);
    `;
    await writeFile(join(place.cwd, 'counting.mjs'), counting);
    const command = `exec ${quotedBin} exec -- ${shellQuoted(process.execPath)} counting.mjs`;
    const terminal = execa('script', ['-qec', command, '/dev/null'], {
      cwd: place.cwd,
      env: { ...place.env },
      reject: false,
    });
    for await (const line of terminal.iterable()) {
      if (line.includes('ready')) terminal.stdin.write('\u0003');
      if (line.includes('count')) break;
    }
    const { stdout, exitCode } = await terminal;
    expect(stdout).toContain('count 1');
    expect(exitCode).toBe(4);
  });
});
