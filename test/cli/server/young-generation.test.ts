import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { startUntilReady } from '../../support/child.ts';
import { bin, emptyPlace } from '../layaway.ts';

/** On a signal: makes garbage of which a part survives, and prints how large V8's young generation is then. */
const GROW = `
  import { getHeapSpaceStatistics } from 'node:v8';
  const young = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size / 2 ** 20;
  process.on('SIGUSR2', () => {
    let [kept, rounds] = [[], 0];
    const round = () => {
      kept = Array.from({ length: 20_000 }, (_, index) => ({ index, text: [index] }));
      rounds += 1;
      if (rounds < 100) setImmediate(round);
      else console.log(JSON.stringify({ megabytes: young() }));
    };
    round();
  });
  setInterval(() => undefined, 1e6).unref();
`;

test.runIf(process.platform !== 'win32')('a server’s young generation does not grow with the load', async () => {
  const { cwd, env } = await emptyPlace();
  const hook = join(cwd, 'grow.mjs');
  await writeFile(hook, GROW);
  const megabytes = async (...args: string[]) => {
    await using started = await startUntilReady(process.execPath, ['--import', String(pathToFileURL(hook)), ...args], {
      cwd,
      env,
    });
    started.signal('SIGUSR2');
    return JSON.parse(await started.next()).megabytes as number;
  };
  const serve = [bin, 'serve', '--json', '--memory', '--port', '0'];
  const other = ['-e', "console.log('ready'); setTimeout(() => undefined, 60_000)"];
  expect(await megabytes(...serve)).toBeLessThanOrEqual(16);
  expect(await megabytes(...other)).toBeGreaterThan(16);
});
