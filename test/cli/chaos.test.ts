import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { emptyPlace, runner } from './layaway.ts';

/** A store that asks eight times and tells what it was answered. */
const STORE = `
  const { LAYAWAY_BASE_URL, LAYAWAY_CLIENT_ID, LAYAWAY_API_KEY } = process.env;
  const headers = { 'x-client-id': LAYAWAY_CLIENT_ID, 'x-api-key': LAYAWAY_API_KEY };
  const met = [];
  for (let n = 0; n < 8; n += 1) {
    met.push(await fetch(LAYAWAY_BASE_URL + '/v1/ping', { headers }).then(({ status }) => status, () => 'no response'));
  }
  console.log(JSON.stringify(met));
`;

describe('interface §7: --chaos', () => {
  test('exec: the same calls meet the same faults under the same seed; each is told on stderr', async () => {
    const layaway = runner(await emptyPlace());
    const exec = (chaos: string) =>
      layaway('exec', '--chaos', chaos, '--', process.execPath, '--input-type=module', '-e', STORE);
    const [first, second, other] = [await exec('7:60'), await exec('7:60'), await exec('8:60')];
    expect(first.code).toBe(0);
    expect(second.stdout).toBe(first.stdout);
    expect(other.stdout).not.toBe(first.stdout);
    const met: (number | string)[] = JSON.parse(first.stdout);
    expect(met).toContain(503);
    expect(met).toContain(200);
    expect(first.stderr.match(/^chaos: error struck GET \/v1\/ping$/gm)).toHaveLength(
      met.filter((status) => status === 503).length,
    );
  });

  test('run: what struck is in the report, and told on stderr', async () => {
    const place = await emptyPlace();
    const scenario = join(import.meta.dirname, '../../fixtures/scenarios/happy-path.yaml');
    const run = () => runner(place)('run', scenario, '--chaos', '7:100', '--reporter', 'junit');
    const { code, stdout, stderr } = await run();
    expect(code).toBe(5);
    expect(stdout).toContain('struck GET /v1/ping');
    expect(stderr).toMatch(/^chaos: \w+ struck GET \/v1\/ping$/m);
    expect((await run()).stdout).toBe(stdout);
  });

  test.each(['7:0', '7:101', ':5', '7:x', ''])('--chaos %j is a mistake in the call', async (chaos) => {
    const layaway = runner(await emptyPlace());
    const { code, stderr } = await layaway('serve', '--memory', '--chaos', chaos);
    expect(code).toBe(2);
    expect(stderr).toContain('percentage from 1 to 100');
  });
});
