import { describe, expect, test } from 'vitest';
import { unlessSilent } from '../../../src/cli/server/silence.ts';
import { exchange } from '../../../src/cli/server/transport.ts';
import { emptyPlace, otherServer, runner, startReady } from '../layaway.ts';

/** A module under which a second of patience takes 20 ms. */
const IN_HASTE = `data:text/javascript,${encodeURIComponent(`
  import timers from 'node:timers';
  const { setTimeout } = timers;
  const { timeout } = AbortSignal;
  timers.setTimeout = globalThis.setTimeout = (work, ms, ...rest) => setTimeout(work, ms / 50, ...rest);
  AbortSignal.timeout = (ms) => timeout.call(AbortSignal, Math.ceil(ms / 50));
`)}`;

const get = (url: string, timeoutMs: number) => exchange({ method: 'GET', url, headers: {}, timeoutMs });

describe('interface §1: a command waits for a server at work, and not for one that answers nothing', () => {
  test('a server that answers other requests is waited for', async () => {
    let questions = 0;
    let finish = () => {};
    await using server = await otherServer((request, response) => {
      const answer = () => response.end('done');
      if (request.url === '/work') finish = answer;
      else answer();
      if (questions++ === 3) finish();
    });
    const work = get(`${server.url}/work`, 30_000);
    expect((await unlessSilent(work, () => get(`${server.url}/health`, 30_000), 1)).text).toBe('done');
    expect(questions).toBeGreaterThan(3);
  });

  test('a server that answers nothing is given up', async () => {
    await using server = await otherServer(() => undefined);
    const work = get(`${server.url}/work`, 1_000);
    const given = unlessSilent(work, () => get(`${server.url}/health`, 100), 1);
    await expect(given).rejects.toMatchObject({ code: 4, message: expect.stringContaining('within 0 seconds') });
    await expect(work).rejects.toMatchObject({ code: 4, message: expect.stringContaining('within 1 seconds') });
  });

  test.skipIf(process.platform === 'win32')(
    'a suspended server: commands end, and say how to continue it',
    async () => {
      const place = await emptyPlace();
      const server = await startReady(place, ['serve', '--port', '0', '--json']);
      const { pid } = JSON.parse(server.ready);
      process.kill(pid, 'SIGSTOP');
      const inHaste = runner({ cwd: place.cwd, env: { ...place.env, NODE_OPTIONS: `--import=${IN_HASTE}` } });
      const [events, contracts, doctor] = await Promise.all([
        inHaste('events', 'list'),
        inHaste('contracts', 'list'),
        inHaste('doctor'),
      ]);
      process.kill(pid, 'SIGCONT');
      for (const { code, stderr } of [events, contracts]) {
        expect({ code, stderr }).toEqual({
          code: 4,
          stderr: expect.stringMatching(
            `did not answer within 30 seconds\\. .+ If its process was suspended, as Ctrl-Z does, \`kill -CONT ${pid}\` lets it continue\\.$`,
          ),
        });
      }
      expect(doctor.stdout).toContain(`\`kill -CONT ${pid}\``);
      expect(doctor.stdout).toMatch(
        new RegExp(`^FIX port +\\d+ is in use, and its server \\(pid ${pid}\\) does not answer$`, 'm'),
      );
      expect((await runner(place)('events', 'list')).code).toBe(0);
      await server.stop();
    },
  );
});
