import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test, vi } from 'vitest';
import { needing } from '../support/programs.ts';
import { type Example, examines, file, program, ROOT, SECRET } from './receivers.ts';

examines('laravel.php', laravelRoutes, needing('php'));
examines('receive.py', () => program('python3', file('receive.py')), needing('python3'));

test('receive.py does not start with an empty secret, with which anyone could sign', needing('python3'), async () => {
  const env = { ...process.env, LAYAWAY_WEBHOOK_SECRET: '', PORT: '0' };
  const told = await execa('python3', [file('receive.py')], { env, reject: false, timeout: 30_000 });
  expect(told).toMatchObject({ exitCode: 1, stderr: 'LAYAWAY_WEBHOOK_SECRET is not set.' });
});

/** Composer needs the network, so that PHP runs the routes file with a stand-in for the few functions of Laravel. */
async function laravelRoutes(): Promise<Example> {
  const cache = mkdtempSync(join(tmpdir(), 'layaway-laravel-'));
  const port = await freePort();
  const env = { LAYAWAY_WEBHOOK_SECRET: SECRET, LARAVEL_ROUTES: file('laravel.php'), LARAVEL_CACHE: cache };
  const child = spawn('php', ['-n', '-S', `127.0.0.1:${port}`, join(ROOT, 'test/support/laravel/server.php')], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  const origin = `http://127.0.0.1:${port}/api`;
  await vi.waitFor(() => fetch(origin), { timeout: 30_000, interval: 50 });
  return {
    url: `${origin}/webhooks`,
    observe: `${origin}/orders/{contract}`,
    handled: () => printed.split('\n').filter(Boolean),
    async close() {
      const ended = once(child, 'close');
      child.kill();
      await ended;
      rmSync(cache, { recursive: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
