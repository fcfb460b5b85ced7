import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from '../../src/domain/canonical.ts';

const canonical = (text: string) => canonicalJson(JSON.parse(text));

/** The same JSON with the keys of every object in another order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}

test.each([
  ['{"a":1,"b":2}', '{ "b": 2, "a": 1 }'],
  ['{"total_amount":20000}', '{"total_amount":2e4}'],
  ['{"total_amount":20000}', '{"total_amount":20000.0}'],
  ['{"a":"é"}', '{"a":"\\u00e9"}'],
  ['{"a":{"x":1,"y":[{"p":1,"q":2}]}}', '{"a":{"y":[{"q":2,"p":1}],"x":1}}'],
  ['{"a":2}', '{"a":1,"a":2}'],
])('decisions §5: %s and %s are one body', (one, other) => {
  expect(canonical(one)).toBe(canonical(other));
});

test.each([
  ['{"a":1}', '{"a":"1"}'],
  ['{"a":null}', '{}'],
  ['{"a":[1,2]}', '{"a":[2,1]}'],
  ['{"a":1e400}', '{"a":null}'],
  ['{"a":true}', '{"a":"true"}'],
  ['{"a":""}', '{"a":" "}'],
  ['{"__proto__":{"a":1}}', '{}'],
  ['{"a":{"0":1}}', '{"a":[1]}'],
])('decisions §5: %s and %s are two', (one, other) => {
  expect(canonical(one)).not.toBe(canonical(other));
});

test('decisions §5: equal after parsing is equal text, whatever the order of keys', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => void expect(canonicalJson(reversed(value))).toBe(canonicalJson(value))),
  );
});

test('decisions §5: two texts are equal only when the values are', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      // Through JSON.parse, as bodies come: -0 and 0 are one number there.
      const [left, right] = [JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b))];
      expect(canonicalJson(left) === canonicalJson(right)).toBe(isDeepStrictEqual(left, right));
    }),
  );
});

test('decisions §5: the text is the JSON of the value, with sorted keys', () => {
  expect(canonical('{ "b": [1, {"d": null, "c": "x\\n"}], "a": true, "B": {}, "e": [] }')).toBe(
    '{"B":{},"a":true,"b":[1,{"c":"x\\n","d":null}],"e":[]}',
  );
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const body = JSON.parse(JSON.stringify(value));
      expect(JSON.parse(canonicalJson(body))).toEqual(body);
    }),
  );
});
