import { describe, expect, test } from 'vitest';
import { adviceIfUnreached } from '../../src/cli/unreached.ts';
import { openReceiver } from '../support/receiver.ts';
import { emptyPlace, plan, planByCommand, runner, startReady, withSimulator } from './layaway.ts';

const REFUSED = 'connection refused: nothing listens there';
const UNKNOWN = 'the host name is not known';
const LOCAL = 'http://localhost:3000/hooks';
const inside = (url: string, error = REFUSED) => adviceIfUnreached(url, error, { inContainer: true });
const outside = (url: string) => adviceIfUnreached(url, REFUSED, { inContainer: false });

describe('what to do about a receiver that is not there', () => {
  test('in a container, the URL of the same receiver on the host, with its port and path', () => {
    const there = 'This is a container: for a receiver on the host, use http://host.docker.internal:3000/hooks.';
    expect(inside(LOCAL)).toBe(`Start the receiver. ${there}`);
    expect(inside('http://shop.localhost:3000/hooks')).toContain(there);
    expect(outside(LOCAL)).toBe('Start the receiver.');
    expect(adviceIfUnreached(LOCAL, REFUSED, { inContainer: null })).toContain('If layaway runs in a container, and');
  });

  test('one loopback address: localhost tries the other, unless it was tried', () => {
    const other = 'If it listens on another loopback address, use http://localhost:3000/hooks.';
    for (const url of ['http://127.0.0.1:3000/hooks', 'http://[::1]:3000/hooks']) {
      expect(outside(url)).toBe(`Start the receiver. ${other}`);
      expect(adviceIfUnreached(url, REFUSED, { inContainer: false, tried: ['localhost'] })).toBe('Start the receiver.');
    }
  });

  test('another host: the receiver has to listen there', () => {
    for (const url of ['http://host.docker.internal:3000/hooks', 'http://192.168.1.7:3000/']) {
      expect(inside(url)).toContain('not only on 127.0.0.1');
      expect(outside(url)).toContain('not only on 127.0.0.1');
    }
  });

  test('the name of the host is not known: the flag that Docker needs on Linux', () => {
    expect(inside('http://host.docker.internal:3000/', UNKNOWN)).toContain(
      '`--add-host host.docker.internal:host-gateway`',
    );
    expect(inside('http://shop.test:3000/', UNKNOWN)).toBeNull();
  });

  test('nothing about a receiver that is there', () => {
    for (const error of ['no response within 15 seconds', 'the receiver closed the connection']) {
      expect(inside(LOCAL, error)).toBeNull();
    }
    expect(adviceIfUnreached(LOCAL, null, { inContainer: true })).toBeNull();
  });
});

describe('who says it', () => {
  test('serve, once for each URL', async () => {
    const [first, second] = [await openReceiver(), await openReceiver()];
    await Promise.all([first.close(), second.close()]);
    const place = await emptyPlace();
    const forwarded = [first.url, second.url].flatMap((url) => ['--forward-to', url]);
    const server = await startReady(place, ['serve', '--port', '0', '--json', '--memory', '--seed', '1', ...forwarded]);
    const { base_url } = JSON.parse(server.ready);
    await planByCommand(runner({ ...place, env: { ...place.env, LAYAWAY_BASE_URL: base_url } }));
    for (let failed = 0; failed < 4; ) if (JSON.parse(await server.next()).event === 'delivery') failed += 1;
    const { stderr } = await server.stop();
    for (const { url } of [first, second]) {
      expect(stderr.split(`Nothing listens at ${url}. Start the receiver.`)).toHaveLength(2);
    }
    expect(stderr).toContain('Failed events are sent again.');
  });

  test('webhooks test and doctor', async () => {
    await using world = await withSimulator();
    const { layaway } = world;
    const gone = await openReceiver();
    await gone.close();
    const { id } = await world.sim.default.webhooks.add(gone.url);
    const tried = await layaway('webhooks', 'test', id);
    expect(tried.code).toBe(5);
    expect(tried.stderr).toContain('Start the receiver.');
    expect(tried.stderr).toContain('use http://host.docker.internal:');

    await plan(world.sim.default);
    await world.sim.default.clock.advance('0s');
    const { stdout } = await layaway('doctor');
    expect(stdout).toMatch(
      /Start the receiver\..*use http:\/\/host\.docker\.internal:\d+.* Then run `layaway webhooks/,
    );
  });
});
