import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRecord, parsed } from '../../src/domain/json.ts';

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
