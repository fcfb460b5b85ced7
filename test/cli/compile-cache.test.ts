import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { bin, copiedProgram, emptyPlace, type Place, runner } from './layaway.ts';

/** Stands for Node's own function, which older versions lack: it writes down the folder it is given. */
const RECORDER = `
  import { writeFileSync } from 'node:fs';
  import module from 'node:module';
  module.enableCompileCache = (folder) => writeFileSync(process.env.RECORD, String(folder));
`;

/** The folder that the program gives to Node; null when it gives none. */
async function folderGiven({ cwd, env }: Place, changes: Record<string, string> = {}): Promise<string | null> {
  const [recorder, record] = [join(cwd, 'recorder.mjs'), join(cwd, 'record')];
  await writeFile(recorder, RECORDER);
  const NODE_OPTIONS = `--import=${pathToFileURL(recorder)}`;
  const place = { cwd, env: { ...env, NODE_OPTIONS, RECORD: record, TMPDIR: cwd, ...changes } };
  const { code, stdout } = await runner(place)('--version');
  expect({ code, stdout }).toEqual({ code: 0, stdout: packageJson.version });
  return readFile(record, 'utf8').catch(() => null);
}

describe.runIf(process.platform === 'linux')('what Node compiled is kept where only the user writes', () => {
  test('in a folder of the user that nobody else can read', async () => {
    const place = await emptyPlace({ XDG_CACHE_HOME: '' });
    const folder = join(place.cwd, '.cache', 'layaway');
    expect(await folderGiven(place)).toBe(folder);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    const elsewhere = join(place.cwd, 'elsewhere');
    expect(await folderGiven(place, { XDG_CACHE_HOME: elsewhere })).toBe(join(elsewhere, 'layaway'));
  });

  const isRefused = async (change: (folder: string) => Promise<void>) => {
    const place = await emptyPlace({ XDG_CACHE_HOME: '' });
    const folder = join(place.cwd, '.cache', 'layaway');
    await mkdir(folder, { recursive: true });
    await change(folder);
    expect(await folderGiven(place)).toBeNull();
  };

  test('not in a folder that others may write', () => isRefused((folder) => chmod(folder, 0o777)));

  test('not in a folder of another user', ({ skip }) => {
    if (process.getuid?.() !== 0) skip('only root can give a folder away');
    return isRefused((folder) => chown(folder, 65_534, 65_534));
  });

  test('not behind a symbolic link, and not in the folder of the command', async () => {
    const place = await emptyPlace({ XDG_CACHE_HOME: '' });
    await mkdir(join(place.cwd, '.cache'));
    await mkdir(join(place.cwd, 'target'));
    await symlink(join(place.cwd, 'target'), join(place.cwd, '.cache', 'layaway'));
    expect(await folderGiven(place)).toBeNull();
    expect(await folderGiven(place, { XDG_CACHE_HOME: 'cache' })).toBeNull();
  });

  test('nowhere, if the file system answers that the folder to make does not exist', async () => {
    const place = await emptyPlace();
    expect(await folderGiven(place, { XDG_CACHE_HOME: '/proc/none' })).toBeNull();
  });
});

/** Makes every Node like Node 20, which cannot keep what it compiled. */
const WITHOUT = `
  import module from 'node:module';
  module.enableCompileCache = undefined;
`;

describe('a Node that cannot keep what it compiled', () => {
  /** A copy of the program, and a folder for what was compiled. */
  async function copied() {
    const { cwd, env, program } = await copiedProgram();
    const preload = pathToFileURL(join(cwd, 'without.mjs')).href;
    await writeFile(new URL(preload), WITHOUT);
    const cache = join(cwd, 'cache');
    const environment = {
      ...{ PATH: process.env.PATH, ...env, XDG_CACHE_HOME: cache },
      NODE_OPTIONS: `--import=${preload}`,
    };
    const runFrom = (installed: string, args: string[], changes: Record<string, string> = {}) =>
      execa(process.execPath, [join(installed, 'bin/layaway.js'), ...args], {
        ...{ cwd, extendEnv: false, reject: false, stdin: 'ignore', env: { ...environment, ...changes } },
      });
    const run = (args: string[], changes?: Record<string, string>) => runFrom(program, args, changes);
    const folder = join(cache, 'layaway');
    /** What was compiled, by name, with the time when it was kept. */
    const kept = async () => {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
      const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
      const times = await Promise.all(files.map(async (file) => (await stat(file)).mtimeMs));
      return new Map(files.map((file, index) => [file, times[index]]));
    };
    return { run, runFrom, kept, folder, program, preload };
  }

  test('keeps it once, and takes it from then on', async () => {
    const { run, kept } = await copied();
    const first = await run(['--version']);
    expect(first).toMatchObject({ exitCode: 0, stdout: packageJson.version, stderr: '' });
    const once = await kept();
    expect([...once.keys()].some((file) => basename(file).startsWith('start-'))).toBe(true);
    expect(await run(['--version'])).toMatchObject({ exitCode: 0, stdout: packageJson.version, stderr: '' });
    expect(await kept()).toEqual(once);
  });

  test('a server too, and its commands', async () => {
    const { run, kept } = await copied();
    for (let times = 1; times <= 2; times += 1) {
      const script = `"${process.execPath}" "$0" sessions create --order-reference A-1 --total-amount 20000 --json`;
      const { exitCode, stdout, stderr } = await run(['exec', '--', 'sh', '-c', script, bin]);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(JSON.parse(stdout)).toMatchObject({ data: { status: 'pending' } });
    }
    expect([...(await kept()).keys()].some((file) => basename(file).startsWith('index.cjs-'))).toBe(true);
  });

  /** The names of the built files whose code matches. */
  async function filesWith(code: RegExp): Promise<string[]> {
    const all = await readdir(join(dirname(bin), '../dist'), { recursive: true, withFileTypes: true });
    const files = all.filter(({ name }) => name.endsWith('.cjs')).map((file) => join(file.parentPath, file.name));
    expect(files.length).toBeGreaterThan(50);
    const found: string[] = [];
    for (const file of files) if (code.test(await readFile(file, 'utf8'))) found.push(basename(file));
    return found;
  }

  test('every file of the program is ASCII, which V8 keeps with one byte per character', async () => {
    expect(await filesWith(/[^\0-\x7f]/)).toEqual([]);
  });

  test('no file of the program has an import(), which V8 refuses in what it compiled in an earlier run', async () => {
    expect(await filesWith(/\bimport\(/)).toEqual([]);
  });

  test('no file loads the start of the commands, which would run a command', async () => {
    expect(await filesWith(/require\(["'][^"']*main\.cjs["']\)/)).toEqual([]);
    expect(await filesWith(/require\(["'][^"']*\/index\.cjs["']\)/)).not.toEqual([]);
  });

  test('apart for other flags of V8, which refuses what it compiled without them', async () => {
    const { run, kept, preload } = await copied();
    await run(['--version']);
    const once = await kept();
    const NODE_OPTIONS = `--import=${preload} --max-old-space-size=1000`;
    expect(await run(['--version'], { NODE_OPTIONS })).toMatchObject({ exitCode: 0, stdout: packageJson.version });
    const [file = '', keptAt] = [...once].find(([name]) => basename(name).startsWith('start-')) ?? [];
    expect((await kept()).get(file)).toBe(keptAt);
  });

  test('once for each installation of the same version: two that are used in turn compile nothing again', async () => {
    const { run, runFrom, kept, program } = await copied();
    const other = `${program}-of-another-shop`;
    await cp(program, other, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    await run(['--version']);
    await runFrom(other, ['--version']);
    const once = await kept();
    await run(['--version']);
    await runFrom(other, ['--version']);
    expect(await kept()).toEqual(once);
  });

  test('of another installation is not used: what V8 compiled names the files of that one, such as in a stack', async () => {
    const { run, runFrom, program } = await copied();
    const other = `${program}-of-another-shop`;
    await cp(program, other, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    await run(['--version']);
    const seen = join(dirname(program), 'seen');
    await runFrom(other, ['--version'], { NODE_V8_COVERAGE: seen });
    const [report = ''] = await readdir(seen);
    const { result } = JSON.parse(await readFile(join(seen, report), 'utf8')) as { result: { url: string }[] };
    const urls = result.map(({ url }) => url);
    expect(urls.filter((url) => url.startsWith(pathToFileURL(join(other, 'dist/cli')).href)).length).toBeGreaterThan(1);
    expect(urls.filter((url) => url.startsWith(pathToFileURL(`${program}/`).href))).toEqual([]);
  });

  test('damaged: it is compiled again, and replaced', async () => {
    const { run, kept } = await copied();
    await run(['--version']);
    const files = [...(await kept()).keys()];
    const sizes = new Map(await Promise.all(files.map(async (file) => [file, (await stat(file)).size] as const)));
    for (const [index, file] of files.entries()) {
      const bytes = await readFile(file);
      await writeFile(file, index === 0 ? bytes.subarray(0, bytes.length / 2) : 'damaged');
    }
    expect(await run(['--version'])).toMatchObject({ exitCode: 0, stdout: packageJson.version, stderr: '' });
    expect([...(await kept()).keys()]).toEqual(files);
    for (const file of files) expect((await stat(file)).size).toBeGreaterThan(0.75 * (sizes.get(file) ?? 0));
  });

  test('of a program that has changed since, though not in length: the new one runs', async () => {
    const { run, program } = await copied();
    await run(['help']);
    for (const name of await readdir(join(program, 'dist/cli'))) {
      const file = join(program, 'dist/cli', name);
      const code = await readFile(file, 'utf8').catch(() => '');
      await writeFile(file, code.replaceAll('Local sandbox for', 'LOCAL sandbox for')).catch(() => undefined);
    }
    expect((await run(['help'])).stdout).toContain('LOCAL sandbox for the Layaway Checkout Service');
  });

  test('when it keeps more, it removes what no version used for 30 days, and only what it has written', async () => {
    const { run, kept, folder } = await copied();
    await run(['--version']);
    const [own = ''] = [...(await kept()).keys()].map(dirname);
    const old = new Date(Date.now() - 31 * 24 * 3600 * 1000);
    const recent = new Date(Date.now() - 29 * 24 * 3600 * 1000);
    const plant = async (file: string, used: Date) => {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, 'compiled');
      await utimes(file, used, old);
      return file;
    };
    const elsewhere = await plant(join(folder, '../elsewhere/main.cjs-1a2b3c'), old);
    await symlink(dirname(elsewhere), join(folder, 'v18.0.0-x64'));
    await symlink(elsewhere, join(own, 'linked.cjs-1a2b3c'));
    const goes = [
      await plant(join(own, 'earlier-AAAAAAAA.cjs-19abcdef012'), old),
      await plant(join(folder, 'v20.19.0-x64/main-AAAAAAAA.cjs-19abcdef012'), old),
      await plant(join(folder, 'v20.19.0-x64/index.cjs-1a2b3c.4711'), old),
      await plant(join(folder, 'v20.19.1-arm64-839dbe75/main-AAAAAAAA.cjs-19abcdef012.4711'), old),
    ];
    const stays = [
      elsewhere,
      await plant(join(own, 'used-AAAAAAAA.cjs-19abcdef012'), recent),
      await plant(join(folder, 'v20.19.2-x64/main-AAAAAAAA.cjs-19abcdef012'), recent),
      await plant(join(folder, 'v20.19.2-x64/notes.txt'), old),
      await plant(join(folder, 'v22.23.3-x64-9ac5647c-0/0248d329'), old),
      await plant(join(folder, 'v22.23.3-x64-9ac5647c-0/main-AAAAAAAA.cjs-19abcdef012'), old),
      await plant(join(folder, 'mine/main-AAAAAAAA.cjs'), old),
      await plant(join(folder, 'v20.19.0-x64.cjs'), old),
    ];

    await run(['--version']);
    const there = [...(await kept()).keys()];
    for (const file of [...goes, ...stays]) if (file !== elsewhere) expect(there).toContain(file);

    expect(await run(['config', 'path'])).toMatchObject({ exitCode: 0, stderr: '' });
    for (const file of goes) await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
    for (const file of stays) expect((await stat(file)).isFile()).toBe(true);
    const folders = await readdir(folder);
    expect(folders).not.toContain('v20.19.0-x64');
    expect(folders).toEqual(expect.arrayContaining(['v18.0.0-x64', 'v20.19.2-x64', 'mine']));
    expect((await lstat(join(own, 'linked.cjs-1a2b3c'))).isSymbolicLink()).toBe(true);
  });

  test('nothing where NODE_DISABLE_COMPILE_CACHE is set, and nothing where the disk is full', async () => {
    const { run, kept, folder } = await copied();
    const disabled = { NODE_DISABLE_COMPILE_CACHE: '1' };
    expect(await run(['--version'], disabled)).toMatchObject({ exitCode: 0, stdout: packageJson.version, stderr: '' });
    expect((await kept()).size).toBe(0);
    // A file in the way of the folder refuses what is written into it, as a full disk does.
    await run(['--version']);
    for (const name of await readdir(folder)) {
      await rm(join(folder, name), { recursive: true });
      await writeFile(join(folder, name), '');
    }
    expect(await run(['--version'])).toMatchObject({ exitCode: 0, stdout: packageJson.version, stderr: '' });
  });
});
