import { readdir } from 'node:fs/promises';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { needing } from '../../support/programs.ts';
import { emptyPlace, otherServer, quotedBin, startReady } from '../layaway.ts';

describe('layaway env', () => {
  test('a shell takes them, and what it starts reaches the server', needing('sh'), async () => {
    const place = await emptyPlace();
    await using server = await startReady(place, ['serve', '--memory', '--port', '0', '--json']);
    const command = `eval "$(${quotedBin} env)" && cd / && ${quotedBin} merchants list --json`;
    const { stdout } = await execa('sh', ['-c', command], { ...place, extendEnv: false, stdin: 'ignore' });
    const { sandbox } = JSON.parse(server.ready);
    expect(JSON.parse(stdout).data[0].sandbox.client_id).toBe(sandbox.client_id);
  });

  test('nothing that a server says runs in the shell', needing('sh'), async () => {
    const place = await emptyPlace();
    const secret = `whsec_'; touch planted; $(touch planted)\nexport PATH=/nowhere #`;
    await using server = await otherServer((request, response) => {
      response.setHeader('content-type', 'application/json');
      const account = { client_id: 'c', webhook_secret: secret };
      const merchants = [{ sandbox: account, live: account }];
      response.end(JSON.stringify({ data: request.url?.startsWith('/_sim') ? merchants : {} }));
    });
    const named = `--base-url ${server.url} --client-id c --api-key k --control-token t`;
    const command = `eval "$(${quotedBin} env ${named})"; printf '%s' "$LAYAWAY_WEBHOOK_SECRET"`;
    const { stdout } = await execa('sh', ['-c', command], { ...place, extendEnv: false, stdin: 'ignore' });
    expect(stdout).toBe(secret.replace('\n', '\\u{a}'));
    expect(await readdir(place.cwd)).not.toContain('planted');
  });
});
