import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { check } from '../../src/scenario/check.ts';
import { place } from '../../src/scenario/interpolate.ts';
import { ScenarioFile, VERB_NAMES, type Verb } from '../../src/scenario/schema.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures');
const PUBLISHED = join(FIXTURES, 'scenario.schema.json');

const published = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false }).compile(
  JSON.parse(readFileSync(PUBLISHED, 'utf8')),
);
const shipped = readdirSync(join(FIXTURES, 'scenarios')).map((name) => ({
  name,
  text: readFileSync(join(FIXTURES, 'scenarios', name), 'utf8'),
}));

test('interface §5: it knows these steps', () => {
  expect([...VERB_NAMES].sort()).toEqual(
    [
      'create-session',
      'accept',
      'pay',
      'complete-checkout',
      'cancel-checkout',
      'outcomes',
      'settle',
      'create-contract',
      'cancel-contract',
      'update-contract',
      'advance',
      'settings',
      'platform',
      'endpoint',
      'fault',
      'receiver',
      'request',
      'wait',
    ].sort(),
  );
});

/** A step of each kind with every option; numbers are at their bounds. */
const STEPS: Readonly<Record<Verb, unknown>> = {
  'create-session': {
    ...{
      order_reference: 'A-1',
      total_amount: 20_000,
      return_url: 'https://a.example',
      cancel_url: 'https://a.example',
    },
    ...{ customer_email: null, customer_state: 'TX', metadata: { a: 'b' }, idempotency_key: 'k', preview: true },
  },
  accept: { session: 'cs_1', customer_name: 'Ada', customer_email: 'ada@example.com' },
  pay: { session: 'cs_1', outcome: 'fail' },
  'complete-checkout': { session: 'cs_1', customer_name: 'Ada', customer_email: 'ada@example.com', outcome: 'pay' },
  'cancel-checkout': { session: 'cs_1' },
  outcomes: { contract: 'LAY-1', outcomes: ['pay', 'fail'] },
  settle: { contract: 'LAY-1', installment: 1 },
  'create-contract': {
    ...{ status: 'active', installment: { number: 1, status: 'past_due' }, days_ago: 0, webhooks: false },
    ...{ order_reference: 'A-1', total_amount: 20_000, customer_name: 'Ada', customer_email: 'ada@example.com' },
    ...{ customer_state: null, metadata: null },
  },
  'cancel-contract': { contract: 'LAY-1' },
  'update-contract': { contract: 'LAY-1', order_reference: 'A-2', metadata: { a: 'b' } },
  advance: { next: true },
  settings: { grace_days: 0, excluded_states: ['NY'], webhook_retry_seconds: [0] },
  platform: { disabled: true, unavailable_states: [] },
  endpoint: { url: 'https://a.example', events: ['*'], secret: 'whsec_', insecure: true },
  receiver: [200, 599],
  fault: {
    ...{ kind: 'error', operation: 'ping', method: 'GET', path: '/v1/ping', event: 'contract.*', endpoint_id: 'we_1' },
    ...{ times: 1_000_000, skip: 1_000_000, every: 1, status: 504, retry_after: 86_400, delay_ms: 60_000, by: '1h' },
    copies: 100,
  },
  request: { method: 'GET', path: '/v1/ping', headers: { a: 'b', c: 1, d: true, e: null }, body: [1] },
  wait: { event: 'session.completed', contract: 'LAY-1', session: 'cs_1', timeout: '1s' },
};
const EXPECTED = {
  ...{ status: 599, body: { data: {} }, headers: { date: null }, happened: [], events: ['session.expired'] },
  ...{ emails: [{ to: 'a' }], deliveries: [{}], faults: [{}] },
};

describe('what we say and what any other validator says of the published schema is the same', () => {
  test.each(shipped)('$name is valid', ({ text }) => {
    const value = parseYaml(text);
    expect(check(ScenarioFile, value)).toEqual([]);
    expect(published(value)).toBe(true);
  });

  const EXAMPLES = ['', 'x', place('order.id'), 0, 1, -1, 1.5, 600, true, false, null, [], {}, ['pay'], { nothing: 1 }];

  /** Every value of a document in turn replaced by something else, or left out. */
  function* mutations(value: unknown): Generator<unknown> {
    yield* EXAMPLES;
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        yield value.toSpliced(index, 1);
        for (const other of mutations(item)) yield value.with(index, other);
      }
    } else if (typeof value === 'object' && value !== null) {
      yield { ...value, stranger: 1 };
      for (const [key, inner] of Object.entries(value)) {
        const { [key]: _left, ...rest } = value as Record<string, unknown>;
        yield rest;
        yield { ...rest, [`${key}x`]: inner };
        for (const other of mutations(inner)) yield { ...value, [key]: other };
      }
    }
  }

  test('of what else stands beside a response that is lost', () => {
    const step = { request: { method: 'GET', path: '/v1/ping' } };
    for (const [beside, isValid] of [
      [{}, true],
      [{ events: [], faults: [] }, true],
      [{ status: 200 }, false],
      [{ body: {} }, false],
      [{ headers: {} }, false],
    ] as const) {
      const document = { name: 'x', steps: [{ ...step, expect: { answer: 'lost', ...beside } }] };
      expect([check(ScenarioFile, document).length, published(document)], JSON.stringify(beside)).toEqual(
        isValid ? [0, true] : [1, false],
      );
    }
  });

  function verdictsOnChangesTo(document: unknown) {
    const verdicts = { valid: 0, invalid: 0 };
    const disagreements: unknown[] = [];
    for (const changed of mutations(document)) {
      const ours = check(ScenarioFile, changed).length === 0;
      if (ours !== published(changed)) disagreements.push(changed);
      verdicts[ours ? 'valid' : 'invalid'] += 1;
    }
    expect(disagreements.slice(0, 1)).toEqual([]);
    return verdicts;
  }

  test.each(shipped)('of every change to $name', ({ text }) => {
    const verdicts = verdictsOnChangesTo(parseYaml(text));
    expect(verdicts.valid).toBeGreaterThan(20);
    expect(verdicts.invalid).toBeGreaterThan(100);
  });

  test.each(Object.entries(STEPS))('of every change to a step that is %s', (verb, does) => {
    const document = { name: 'x', steps: [{ [verb]: does, as: 'a', expect: EXPECTED }] };
    expect([check(ScenarioFile, document), published(document)]).toEqual([[], true]);
    verdictsOnChangesTo(document);
  });

  test('of every change to what stands around the steps', () => {
    const document = {
      $schema: 'https://a.example',
      name: 'x',
      merchant: { legal_name: 'A', dba: null, state: 'TX', email: 'a@b.example', settings: { installment_count: 12 } },
      clock: '2026-01-01T00:00:00Z',
      rate_limit: 1,
      steps: [{ advance: { by: '1d' } }],
    };
    expect([check(ScenarioFile, document), published(document)]).toEqual([[], true]);
    verdictsOnChangesTo(document);
  });
});
