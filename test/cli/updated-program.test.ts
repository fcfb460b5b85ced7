import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startUntilReady } from '../support/child.ts';
import { copiedProgram } from './layaway.ts';

// Windows moves no folder with a file that a process has open.
test.skipIf(process.platform === 'win32').each(['1', ''])(
  'a program that is updated while its server runs: what is loaded late fails with one sentence (own cache off: %j)',
  async (NODE_DISABLE_COMPILE_CACHE) => {
    const { cwd, env, program } = await copiedProgram();
    const args = [join(program, 'bin/layaway.js'), 'serve', '--memory', '--port', '0', '--json'];
    const server = await startUntilReady(process.execPath, args, {
      cwd,
      env: { PATH: process.env.PATH, ...env, NODE_DISABLE_COMPILE_CACHE },
    });
    const { base_url: url } = JSON.parse(server.ready);
    // Once it answers, it has loaded what it loads at the start.
    expect((await fetch(`${url}/v1/ping`)).status).toBe(401);
    await rename(join(program, 'dist'), join(program, 'old'));
    for (const path of ['/docs', '/_sim/health']) expect((await fetch(url + path)).status).toBe(500);
    expect((await fetch(`${url}/v1/ping`)).status).toBe(401);
    await rename(join(program, 'old'), join(program, 'dist'));
    expect((await fetch(`${url}/docs`)).status).toBe(200);
    expect(await server.stop()).toMatchObject({
      exitCode: 0,
      stderr:
        'Files of layaway are missing, so some requests fail: it was updated or removed while this server was running. Stop the server and start it again.',
    });
  },
);
