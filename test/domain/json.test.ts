import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { differingFields, isRecord, parsed } from '../../src/domain/json.ts';

describe('a text that may be JSON', () => {
  test('its value is what was written', () => {
    fc.assert(
      // JSON has no -0.
      fc.property(
        fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value))),
        (value) => {
          expect(parsed(JSON.stringify(value), 'none')).toEqual(value);
        },
      ),
    );
  });

  test.each(['', '<html>', '{"a":', "{'a': 1}"])('%j is not JSON', (text) => {
    expect(parsed(text, null)).toBe(null);
    expect(parsed(text, text)).toBe(text);
  });
});

test.each([
  [{}, true],
  [{ a: 1 }, true],
  [[], false],
  [null, false],
  ['{}', false],
  [undefined, false],
])('%j is an object with keys: %s', (value, expected) => {
  expect(isRecord(value)).toBe(expected);
});

test('the fields in which two bodies differ, by their paths', () => {
  const order = { total_amount: 20_000, items: [1, 2], metadata: { cart: 'a', shop: { id: 1 } }, note: null };
  const differ = (other: object) => differingFields(order, { ...order, ...other });
  expect(differ({})).toEqual([]);
  expect(differ({ metadata: { shop: { id: 1 }, cart: 'a' } })).toEqual([]);
  expect(differ({ total_amount: '20000', items: [2, 1] })).toEqual(['total_amount', 'items']);
  expect(differ({ metadata: { cart: 'b', shop: { id: 2, name: 'x' } } })).toEqual([
    'metadata.cart',
    'metadata.shop.id',
    'metadata.shop.name',
  ]);
  expect(differ({ metadata: null, more: null })).toEqual(['metadata', 'more']);
  expect(differingFields({ note: null }, {})).toEqual(['note']);
  expect(differingFields({}, JSON.parse('{"__proto__":1,"constructor":2}'))).toEqual(['__proto__', 'constructor']);
});
