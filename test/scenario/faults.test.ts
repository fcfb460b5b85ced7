import { afterAll, describe, expect, test } from 'vitest';
import { createSimulator, runScenario } from '../../src/index.ts';
import { place } from '../../src/scenario/interpolate.ts';
import type { Difference } from '../../src/scenario/match.ts';
import { openReceiver } from '../support/receiver.ts';

const sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
afterAll(() => sim.close());

const play = (...steps: object[]) => runScenario({ name: 'a bad day', steps }, { sim });
const create = { order_reference: 'A-1', total_amount: 20_000 };
const failures = async (...steps: object[]) => {
  const { steps: results } = await play(...steps);
  const unplaced = ({ at, expected, actual }: Difference) => ({ at, expected, actual });
  return results.map(
    ({ status, problem, differences }) => problem ?? (differences.length > 0 ? differences.map(unplaced) : status),
  );
};

describe('interface §5 and §7: faults in scenarios', () => {
  test.each(['lost-answer', 'webhook-storm', 'outage-of-three-days', 'out-of-order'])('%s is played', async (name) => {
    const report = await runScenario(`fixtures/scenarios/${name}.yaml`);
    expect(report.steps.filter(({ status }) => status !== 'passed')).toEqual([]);
  });

  test.each(['lost_request', 'lost_answer', 'cut_answer'])(
    '%s: a response that is lost can be expected',
    async (kind) => {
      expect(
        await failures(
          { fault: { kind } },
          { 'create-session': create, expect: { answer: 'lost' } },
          {
            request: { method: 'GET', path: '/v1/ping' },
            expect: { status: 200, faults: [{ kind, met: 1 }] },
          },
        ),
      ).toEqual(['passed', 'passed', 'passed']);
    },
  );

  test('one that nobody expects fails the step', async () => {
    expect(await failures({ fault: { kind: 'lost_answer' } }, { 'create-session': create })).toEqual([
      'passed',
      'The connection was closed before the response was complete.',
    ]);
    expect(
      await failures({ fault: { kind: 'lost_answer' } }, { 'create-session': create, expect: { status: 201 } }),
    ).toEqual(['passed', 'The connection was closed before the response was complete.']);
  });

  test('a response that comes fails a step that expects none', async () => {
    expect(await failures({ 'create-session': create, expect: { answer: 'lost' } })).toEqual([
      [{ at: 'answer', expected: 'lost', actual: 201 }],
    ]);
    expect(
      await failures({ 'create-session': { ...create, total_amount: 1 }, expect: { answer: 'lost' } }),
    ).toMatchObject([[{ at: 'answer', expected: 'lost', actual: expect.stringContaining('422') }]]);
  });

  test.each([
    [
      'a step after one that was lost still sees what happened',
      { answer: 'lost', events: ['contract.cancelled'] },
      'passed',
    ],
    ['so does one that fails because it was lost', {}, 'failed'],
  ])('%s', async (_name, expected, status) => {
    const { steps } = await play(
      { 'create-session': create, as: 'order' },
      { 'complete-checkout': { session: place('order.id') }, as: 'plan' },
      { fault: { kind: 'lost_answer', operation: 'cancelContract' } },
      { 'cancel-contract': { contract: place('plan.reference') }, expect: expected },
    );
    expect(steps[3]).toMatchObject({ does: 'cancel-contract', status, events: ['contract.cancelled'] });
  });

  test('a settlement whose contract cannot be read is answered as that read is', async () => {
    expect(
      await failures(
        { 'create-contract': { installment: { number: 1, status: 'past_due' } }, as: 'plan' },
        { fault: { kind: 'lost_answer', operation: 'getContract' } },
        { settle: { contract: place('plan.reference') }, expect: { answer: 'lost' } },
        { settle: { contract: 'LAY-0000000000' }, expect: { status: 404 } },
      ),
    ).toEqual(['passed', 'passed', 'passed', 'passed']);
  });

  test('a request to an encoded path can be lost, too', async () => {
    const request = { method: 'GET', path: '/%76%31/ping?a=b' };
    expect(await failures({ fault: { kind: 'lost_answer' } }, { request, expect: { answer: 'lost' } })).toEqual([
      'passed',
      'passed',
    ]);
  });

  test('on a simulator of its own, each step reports the faults that struck it', async () => {
    await using receiver = await openReceiver();
    const { steps } = await runScenario({
      name: 'a bad day',
      steps: [
        { endpoint: { url: receiver.url, events: ['contract.activated'] } },
        { fault: { kind: 'lost_ack' } },
        { fault: { kind: 'slow', delay_ms: 0 } },
        { request: { method: 'GET', path: '/v1/ping' } },
        { 'create-contract': {}, as: 'plan', expect: { body: { data: { reference: 'unknown' } } } },
      ],
    });
    const reference = String(steps[4]?.differences[0]?.actual);
    expect(steps.map(({ faults }) => faults?.map(({ kind, on }) => `${kind}: ${on}`))).toEqual([
      ...[undefined, undefined, undefined, ['slow: GET /v1/ping']],
      [`lost_ack: contract.activated ${reference} attempt 1`],
    ]);
    expect(steps[0]).not.toHaveProperty('faults');
  });

  test('random faults strike when they are asked for', async () => {
    const steps = [{ request: { method: 'GET', path: '/v1/ping' } }];
    const played = await runScenario({ name: 'chaos', steps }, { chaos: { seed: 1, percent: 100 } });
    expect(played.steps[0]?.faults).toMatchObject([{ id: 'chaos', on: 'GET /v1/ping' }]);
  });

  test('how often a fault struck is compared, and shown when it differs', async () => {
    expect(
      await failures({ fault: { kind: 'slow', delay_ms: 0 }, expect: { faults: [{ kind: 'slow', met: 1 }] } }),
    ).toEqual([[{ at: 'faults', expected: [{ kind: 'slow', met: 1 }], actual: [{ kind: 'slow', met: 0 }] }]]);
  });

  test('faults match in the order in which they strike', async () => {
    const two = [{ fault: { kind: 'slow', delay_ms: 0 } }, { fault: { kind: 'lost_ack' } }];
    const clock = { request: { method: 'GET', path: '/_sim/clock' } };
    const kinds = [{ kind: 'slow' }, { kind: 'lost_ack' }];
    expect(await failures(...two, { ...clock, expect: { faults: kinds } })).toEqual(['passed', 'passed', 'passed']);
    expect((await failures(...two, { ...clock, expect: { faults: kinds.toReversed() } })).at(-1)).toMatchObject([
      { at: 'faults', expected: kinds.toReversed(), actual: kinds },
    ]);
  });

  test('a fault that the service would refuse is found before anything is played', async () => {
    const alone = (fault: object) => play({ 'create-session': create, as: 'order' }, { fault });
    await expect(alone({ kind: 'slow', copies: 2 })).rejects.toThrow(
      'steps[1].fault: The copies field does not belong to the kind slow.',
    );
    await expect(alone({ kind: 'error', status: 501 })).rejects.toThrow('The selected status is invalid.');
    await expect(alone({ kind: 'error', operation: 'getHostedSession' })).rejects.toThrow('takes no credentials');
    await expect(alone({ kind: 'delayed', by: '1mo', method: 'GET' })).rejects.toMatchObject({
      mistakes: [
        { message: expect.stringContaining('The method field does not belong to the kind delayed.') },
        { message: expect.stringContaining('The by field must not be more than 30 days') },
      ],
    });
    const contract = place('order.contract_reference');
    const later = { kind: 'error', path: `/v1/contracts/${contract}`, status: place('order.total_amount') };
    expect((await alone(later)).steps[1]).toMatchObject({ status: 'failed' });
  });

  test('a fault that the service refuses fails its step', async () => {
    const [problem] = await failures({ fault: { kind: 'lost', endpoint_id: 'none' } });
    expect(problem).toContain('The selected endpoint id is invalid.');
  });
});
