import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { inject } from 'vitest';
import { caller } from './shop.ts';

/** A server in a process of its own, as a user starts it. */
export async function startServer(...flags: string[]) {
  const bin = join(inject('layaway'), 'bin/layaway.js');
  const child = spawn(process.execPath, [bin, 'serve', '--json', '--port', '0', '--rate-limit', 'off', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaints = '';
  child.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => null)]);
  if (!first) throw new Error(`The server did not start: ${complaints}`);
  const ready = JSON.parse(first[0]);
  const server = { url: ready.base_url as string, controlToken: ready.control_token as string };
  return {
    ...server,
    call: caller(server, { 'x-client-id': ready.sandbox.client_id, 'x-api-key': ready.sandbox.api_key }),
    workspace: caller(server, { authorization: `Bearer ${server.controlToken}` }),
    stop: () => end(child, 'SIGTERM'),
    kill: () => end(child, 'SIGKILL'),
  };
}

export type ChildServer = Awaited<ReturnType<typeof startServer>>;

async function end(child: ChildProcess, signal: NodeJS.Signals) {
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}
