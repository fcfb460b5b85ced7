import { describe, expect, test } from 'vitest';
import { API_KEY, SIGNING_SECRET, withoutUserInfo } from '../../src/domain/secret-text.ts';

describe('interface §11: what a trace does not hold', () => {
  test.each([
    ['http://ada:secret@shop.test/hooks', 'http://…@shop.test/hooks'],
    ['http://a@b@shop.test', 'http://…@shop.test'],
    ['at http://a:b@x.test and https://c@y.test', 'at http://…@x.test and https://…@y.test'],
    // json_encode of PHP escapes slashes; JSON in JSON does so again.
    [String.raw`http:\/\/a:b@x.test`, 'http://…@x.test'],
    [String.raw`http:\\/\\/a:b@x.test`, 'http://…@x.test'],
    ['http://shop.test/ada@example.com', 'http://shop.test/ada@example.com'],
    ['http://shop.test?to=ada@example.com', 'http://shop.test?to=ada@example.com'],
    ['http://shop.test ada@example.com', 'http://shop.test ada@example.com'],
    ['"http://shop.test","ada@example.com"', '"http://shop.test","ada@example.com"'],
    ['mailto:ada@example.com', 'mailto:ada@example.com'],
  ])('%s becomes %s', (text, expected) => {
    expect(withoutUserInfo(text)).toBe(expected);
  });

  test.each([
    ['key sk_test_Abc12', 'sk_test_Abc12'],
    ['sk_live_abcdefgh"', 'sk_live_abcdefgh'],
    // As long as the prefix that identifies it.
    ['sk_test_Abc1', undefined],
    ['sk_demo_Abc12', undefined],
  ])('the API key in %s is %s', (text, key) => {
    expect(API_KEY.exec(text)?.[0]).toBe(key);
  });

  test.each([
    ['secret whsec_Ab+/9_-=', 'whsec_Ab+/9_-='],
    [String.raw`whsec_A\/b"`, String.raw`whsec_A\/b`],
    ['whsec_', undefined],
    ['whsec_…', undefined],
  ])('the signing secret in %s is %s', (text, secret) => {
    expect(SIGNING_SECRET.exec(text)?.[0]).toBe(secret);
  });
});
