import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, inject, test, vi } from 'vitest';
import { blocksOf } from '../support/walk-through.ts';
import { type Example, examines, FOLDER, file, program, ROOT, SECRET } from './receivers.ts';

examines('express.mjs', () => program(process.execPath, file('express.mjs')));
examines('fastify.mjs', () => program(process.execPath, file('fastify.mjs')));
examines('nextjs-route.mjs', nextRoutes);

/** Next.js itself is large, and what it adds is not examined: a small server calls the route handlers as it does. */
async function nextRoutes(): Promise<Example> {
  vi.stubEnv('LAYAWAY_WEBHOOK_SECRET', SECRET);
  const said = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  const { serveRoutes } = await import('../support/next-routes.js');
  const server = await serveRoutes(
    { webhooks: await import(pathToFileURL(file('nextjs-route.mjs')).href) },
    { orders: await import(pathToFileURL(file('nextjs-orders-route.mjs')).href) },
  );
  return {
    url: `${server.origin}/webhooks`,
    observe: `${server.origin}/orders/{contract}`,
    handled: () => said.mock.calls.map((words) => words.join(' ')),
    async close() {
      said.mockRestore();
      vi.unstubAllEnvs();
      await server.close();
    },
  };
}

test('the example for tests does what it says', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'layaway-receivers-'));
  try {
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(inject('layaway'), join(folder, 'node_modules/layaway'));
    copyFileSync(file('in-a-test.mjs'), join(folder, 'in-a-test.mjs'));
    const child = spawn(process.execPath, ['in-a-test.mjs'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
    });
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
    expect(said).toBe('session.decision_made contract.activated session.completed installment.paid\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('docs/webhooks.md shows exactly the files', () => {
  const page = readFileSync(join(ROOT, 'docs/webhooks.md'), 'utf8');
  const names = readdirSync(FOLDER);
  const shown = blocksOf(page, 'js', 'php', 'python');
  expect(names.length).toBe(8);
  expect(shown.sort()).toEqual(names.map((name) => readFileSync(file(name), 'utf8')).sort());
});
