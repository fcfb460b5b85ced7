import { chmod, chown, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { emptyPlace, type Place, runner } from './layaway.ts';

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
});
