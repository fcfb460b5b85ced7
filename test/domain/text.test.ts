import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decoded, escaped, grouped, isHeaderValue, shortened, trimmed } from '../../src/domain/text.ts';

describe('decisions §5: trimming', () => {
  it.each([
    [' a b ', 'a b'],
    ['\u200b\u200e\ufeff\u3000\u00a0a\u200bb\u2028\n', 'a\u200bb'],
    ['\u200b', ''],
    ['', ''],
    ['\u0085a\u0085', 'a'],
    ['\u200d', '\u200d'],
  ])('%j becomes %j', (text, expected) => {
    expect(trimmed(text)).toBe(expected);
  });

  it('cuts off what the expression for it cuts off', () => {
    const ends = /^[\s\u0085\u200b\u200e\ufeff]+|[\s\u0085\u200b\u200e\ufeff]+$/g;
    const character = fc.constantFrom('a', ' ', '\t', '\u0085', '\u200b', '\u200e', '\ufeff', '\u3000', '🍀');
    fc.assert(
      fc.property(fc.array(character), (characters) => {
        const text = characters.join('');
        expect(trimmed(text)).toBe(text.replace(ends, ''));
      }),
    );
  });
});

it.each([
  ['abcd', 'abcd'],
  ['abcde', 'abcd…'],
  ['abc🍀', 'abc…'],
  ['ab🍀c', 'ab🍀…'],
])('the beginning of %j, with no character cut in half', (text, expected) => {
  expect(shortened(text, 4)).toBe(expected);
});

describe('a whole number with commas', () => {
  it.each([
    [0, '0'],
    [999, '999'],
    [1_000, '1,000'],
    [1_234_567, '1,234,567'],
  ])('%d is %s', (whole, expected) => {
    expect(grouped(whole)).toBe(expected);
  });
});

it('markup shows the text as it is', () => {
  expect(escaped(`<a href="x" title='y'>&amp;</a>`)).toBe(
    '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;',
  );
});

it.each([
  ['/v1/a%20b', '/v1/a b'],
  ['%C3%A9', 'é'],
  ['100%', '100%'],
  ['%FF', '%FF'],
])('%s without percent-encoding is %s', (text, expected) => {
  expect(decoded(text)).toBe(expected);
});

it.each([
  ['Bearer abc', true],
  ['', true],
  ['a\tb', true],
  ['é', true],
  ['a\nb', false],
  ['\u007f', false],
  ['€', false],
  [7, false],
  [undefined, false],
])('HTTP allows %j as the value of a header: %s', (value, isOne) => {
  expect(isHeaderValue(value)).toBe(isOne);
});
