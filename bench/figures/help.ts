import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Figure, Line } from '../figure.ts';
import { bin } from '../paths.ts';
import { owned, serveCommand, temporaryDirectory } from '../process.ts';
import { makeContract } from '../requests.ts';
import { interleave, ofStarts } from '../rounds.ts';

/** Short commands against Node doing nothing: help, a shell's completion, one request. */
export const help: Figure = async function* ({ effort }) {
  using directory = temporaryDirectory();
  await using server = await serveCommand(directory.path);
  for (let contracts = 0; contracts < 15; contracts += 1) await makeContract(server);
  const { 'x-client-id': clientId = '', 'x-api-key': apiKey = '' } = server.headers;
  const env = { LAYAWAY_BASE_URL: server.url, LAYAWAY_CLIENT_ID: clientId, LAYAWAY_API_KEY: apiKey };
  const line = async (args: string[], atMost: number): Promise<Line> => ({
    name: `layaway ${args.join(' ')}, node -e 0`,
    unit: 'ms',
    ...(await interleave(
      ofStarts(effort),
      () => untilExit([bin, ...args], env),
      () => untilExit(['-e', '0']),
    )),
    target: { atMost },
  });
  yield await line(['--help'], 1.2);
  yield await line(['completion', 'bash'], 1.4);
  yield await line(['contracts', 'list'], 1.4);
  yield await line(['contracts', 'list', '--json'], 1.4);
};

async function untilExit(args: string[], env: Readonly<Record<string, string>> = {}): Promise<number> {
  const startedAt = performance.now();
  const child = owned(
    spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] }),
  );
  const [code] = await once(child, 'exit');
  const tookMs = performance.now() - startedAt;
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}.`);
  return tookMs;
}
