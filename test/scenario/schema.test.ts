import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { check } from '../../src/scenario/check.ts';
import { place } from '../../src/scenario/interpolate.ts';
import { ScenarioFile, VERB_NAMES } from '../../src/scenario/schema.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures');
const PUBLISHED = join(FIXTURES, 'scenario.schema.json');

/** Refresh it with `npx vitest run test/scenario/schema.test.ts --update`. */
test('interface §5: the published schema is the one that validates', async () => {
  await expect(`${JSON.stringify(ScenarioFile, null, 2)}\n`).toMatchFileSnapshot(PUBLISHED);
});

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

  test('of what else stands beside an answer that is lost', () => {
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

  test.each(shipped)('of every change to $name', ({ text }) => {
    const verdicts = { valid: 0, invalid: 0 };
    const disagreements: unknown[] = [];
    for (const changed of mutations(parseYaml(text))) {
      const ours = check(ScenarioFile, changed).length === 0;
      if (ours !== published(changed)) disagreements.push(changed);
      verdicts[ours ? 'valid' : 'invalid'] += 1;
    }
    expect(disagreements.slice(0, 1)).toEqual([]);
    expect(verdicts.valid).toBeGreaterThan(20);
    expect(verdicts.invalid).toBeGreaterThan(100);
  });
});
