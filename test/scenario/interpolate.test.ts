import fc from 'fast-check';
import { expect, test } from 'vitest';
import { interpolate, namesIn, place, UnknownPlace } from '../../src/scenario/interpolate.ts';

const scope = new Map<string, unknown>([
  ['order', { id: 'cs_1', amounts: [5, 6], note: null }],
  ['a', 'A'],
]);

test.each([
  [place('order.id'), 'cs_1'],
  [place(' order.id '), 'cs_1'],
  [place('order.amounts[1]'), 6],
  [place('order.amounts'), [5, 6]],
  [`${place('a')}-${place('order.id')}`, 'A-cs_1'],
  [place('order.note'), null],
  [`${place('a')} ${place('order.note')}`, 'A null'],
  [`$${place('a')}`, place('a')],
  [`$$${place('a')}`, `$${place('a')}`],
  [`${place('a')}$${place('a')}`, `A${place('a')}`],
  ['${a', '${a'],
  ['${a $${b', '${a ${b'],
  ['}${', '}${'],
  ['$', '$'],
  ['', ''],
])('interface §5: %j stands for %j', (text, expected) => {
  expect(interpolate(text, scope)).toEqual(expected);
});

test('a place that names nothing is reported', () => {
  expect(() => interpolate(`x ${place('nobody')}`, scope)).toThrow(UnknownPlace);
  expect(() => interpolate(`x ${place('order')}`, scope)).toThrow(
    `${place('order')} is not a single value; it has id, amounts, note.`,
  );
});

test('names are told once, whatever stands around them', () => {
  expect(namesIn(`${place('a.b')}${place('a.c')}$${place('no')}${place('d')}${'${'}`)).toEqual(['a', 'd']);
});

test('any text is read as the expression for places reads it', () => {
  const all = new Map(['', '$', 'a', '${', '$${', 'a${'].map((name) => [name, 'X']));
  const expected = (text: string) =>
    text.replace(/\$(\$\{)|\$\{([^}]*)\}/g, (_whole, escaped: string | undefined) => escaped ?? 'X');
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('$', '{', '}', 'a', '${', '$${'), maxLength: 12 }), (text) => {
      try {
        expect(interpolate(text, all)).toBe(expected(text));
      } catch (error) {
        if (!(error instanceof UnknownPlace)) throw error;
      }
    }),
    { numRuns: 2_000 },
  );
});

test('places that nothing closes cost one pass, however many', () => {
  const text = '${'.repeat(1_000_000);
  expect(namesIn(text)).toEqual([]);
  expect(interpolate(text, scope)).toBe(text);
});
