import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { startUntilReady } from '../../support/child.ts';
import { needing } from '../../support/programs.ts';
import { emptyPlace, quotedBin } from '../layaway.ts';

test('interface §2: SIGTERM to the shell in which npm start runs ends the server', needing('sh'), async () => {
  const { cwd, env } = await emptyPlace({ npm_lifecycle_event: 'start' });
  // The second command keeps the shell from becoming the program.
  const command = `${quotedBin} serve --memory --port 0 --json; exit`;
  const shell = execa('sh', ['-c', command], { cwd, env, reject: false, stdin: 'ignore' });
  const { value } = await shell.iterable()[Symbol.asyncIterator]().next();
  const { base_url } = JSON.parse(value as string);
  expect((await fetch(`${base_url}/healthz`)).status).toBe(200);
  shell.kill('SIGTERM');
  const isUp = () =>
    fetch(`${base_url}/healthz`).then(
      () => true,
      () => false,
    );
  await expect.poll(isUp).toBe(false);
});

test(
  'interface §2: a state directory that is removed under it: it says that its state will be lost',
  needing('sh'),
  async () => {
    const { cwd, env } = await emptyPlace();
    const command = `exec ${quotedBin} serve --port 0 2>&1`;
    const isLastOfBanner = (line: string) => line.includes('Ctrl-C');
    await using child = await startUntilReady('sh', ['-c', command], { cwd, env }, isLastOfBanner);
    await rm(join(cwd, '.layaway'), { recursive: true });
    expect(await child.next()).toMatch(
      /^The state directory \S+\.layaway was removed or replaced\. .+ lost when it ends\./,
    );
  },
);
