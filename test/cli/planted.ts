import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { emptyPlace, otherServer, type Place, runner } from './layaway.ts';

/** A service whose every list is empty. */
export const emptyService = () =>
  otherServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ data: [], links: {}, meta: { current_page: 1, last_page: 1, total: 0 } }));
  });

/** The same, which keeps what it was sent. */
export async function listener() {
  const server = await emptyService();
  return {
    url: server.url,
    sent: () => server.seen.map(({ rawHeaders }) => rawHeaders.join('\n')).join('\n'),
    seen: server.seen,
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  };
}

const pair = (name: string) => ({ client_id: `client-of-${name}`, api_key: `key-of-${name}` });
export const planted = (url: string, changes: object = {}) => ({
  pid: process.pid,
  base_url: url,
  control_token: 'token-of-file',
  sandbox: pair('file'),
  live: pair('live-file'),
  ...changes,
});

export async function plant({ cwd }: Place, file: object | string): Promise<string> {
  await mkdir(join(cwd, '.layaway'));
  const path = join(cwd, '.layaway', 'server.json');
  await writeFile(path, typeof file === 'string' ? file : JSON.stringify(file));
  await chmod(path, 0o600);
  return path;
}

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}
export const checkOf = (json: { data: { checks: Check[] } }, wanted: string) =>
  json.data.checks.find(({ name }) => name === wanted) as Check;

/** A changed `server.json` is not believed: nothing is sent to the address in it, and doctor says why. */
export const expectIgnored = async (change: (path: string) => Promise<unknown>, why: string) => {
  await using thief = await listener();
  const place = await emptyPlace();
  await change(await plant(place, planted(thief.url)));
  const layaway = runner(place);
  await layaway('__complete', 'contracts');
  await layaway('contracts', 'list');
  const { json } = await layaway('doctor', '--json');
  expect(thief.seen).toHaveLength(0);
  expect(checkOf(json, 'directory').detail).toContain(`is ignored: ${why}`);
};
