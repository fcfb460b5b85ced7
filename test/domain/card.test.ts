import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkCard, laterExpiry, passesLuhn, writtenErrors } from '../../src/domain/card.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 12, maxLength: 19 });

describe('the check digit', () => {
  test('of the example numbers of ISO/IEC 7812 and of the card schemes', () => {
    for (const number of ['79927398713', '4111111111111111', '378282246310005', '6011000990139424']) {
      expect(passesLuhn(number)).toBe(true);
    }
  });

  test('exactly one of ten last digits fits, and changing any one digit is noticed', () => {
    fc.assert(
      fc.property(digits, fc.nat(), fc.integer({ min: 1, max: 9 }), (head, place, change) => {
        const fitting = [...'0123456789'].filter((last) => passesLuhn(head.join('') + last));
        expect(fitting).toHaveLength(1);
        const number = [...head, Number(fitting[0])];
        const at = place % number.length;
        number[at] = ((number[at] as number) + change) % 10;
        expect(passesLuhn(number.join(''))).toBe(false);
      }),
    );
  });
});

const GOOD = { number: '4111111111111111', expiry: '12/26', code: '123' };

test('a card without a mistake has no errors, and all mistakes are told at once', () => {
  expect(checkCard(GOOD, NOW)).toStrictEqual({});
  expect(checkCard({ number: '', expiry: '12/25', code: '' }, NOW)).toStrictEqual({
    number: 'Enter the card number.',
    expiry: 'This card has expired. Use another one.',
    code: 'Enter the security code.',
  });
});

test('the browser, which does not know the account’s date, checks the form of the date only', () => {
  expect(writtenErrors({ ...GOOD, expiry: '12/99' })).toStrictEqual({});
  expect(writtenErrors({ ...GOOD, expiry: '12-25-99' })).toStrictEqual({
    expiry: 'Write the expiry date as month and year, like 08 / 29.',
  });
});

describe('the card number', () => {
  const numberError = (number: string) => checkCard({ ...GOOD, number }, NOW).number ?? null;
  const [missing, length, digit] = [
    'Enter the card number.',
    'A card number has 12 to 19 digits.',
    'Check the card number. A digit seems to be wrong.',
  ];

  test.each([
    ['4111 1111 1111 1111', null],
    ['4111-1111-1111-1111', null],
    ['\t3782 822463 10005 ', null],
    ['', missing],
    [' - ', missing],
    ['4111111111111112', digit],
    ['4111.1111.1111.1111', length],
    ['card 4111111111111111', length],
    ['4111111111111111 x', length],
    // The check digit fits, but no scheme gives out a number with a leading zero.
    ['0000000000000000', digit],
    ['00000000000', length],
    // The check digit fits, so that only the length differs.
    ['42424242420', length],
    ['424242424242', null],
    ['4242424242424242428', null],
    ['42424242424242424242', length],
  ])('%j: %s', (number, error) => {
    expect(numberError(number)).toBe(error);
  });
});

describe('the security code', () => {
  test.each([
    ['123', null],
    ['1234', null],
    [' 123 ', null],
    ['', 'Enter the security code.'],
    ['  ', 'Enter the security code.'],
    ['12', 'The security code has 3 or 4 digits.'],
    ['12345', 'The security code has 3 or 4 digits.'],
    ['a123', 'The security code has 3 or 4 digits.'],
    ['123a', 'The security code has 3 or 4 digits.'],
    ['abc', 'The security code has 3 or 4 digits.'],
  ])('%j: %s', (code, error) => {
    expect(checkCard({ ...GOOD, code }, NOW).code ?? null).toBe(error);
  });
});

describe('the expiry date', () => {
  const expiryError = (expiry: string, now = NOW) =>
    checkCard({ number: '4111111111111111', expiry, code: '123' }, now).expiry;

  test('is good until the first instant of the next month, in UTC', () => {
    expect(expiryError('01/26', Date.parse('2026-01-31T23:59:59.999Z'))).toBeUndefined();
    expect(expiryError('01/26', Date.parse('2026-02-01T00:00:00Z'))).toBe('This card has expired. Use another one.');
    expect(expiryError('12/25', Date.parse('2025-12-31T23:59:59.999Z'))).toBeUndefined();
    expect(expiryError('12/25', Date.parse('2026-01-01T00:00:00Z'))).toBe('This card has expired. Use another one.');
  });

  test('two digits of year mean the year nearest to the clock, over the turn of a century too', () => {
    const late = Date.parse('2099-12-15T00:00:00Z');
    expect(expiryError('01/00', late)).toBeUndefined();
    expect(expiryError('11/99', late)).toBe('This card has expired. Use another one.');
    expect(expiryError('01/2100', late)).toBeUndefined();
  });

  test('no issuer gives a card more than 20 years', () => {
    expect(expiryError('12/46')).toBeUndefined();
    expect(expiryError('01/47')).toBe('Check the year of the expiry date.');
    expect(expiryError('01/2047')).toBe('Check the year of the expiry date.');
  });

  test('two digits of year are at most 50 years away', () => {
    const [expired, tooFar] = ['This card has expired. Use another one.', 'Check the year of the expiry date.'];
    expect(expiryError('12/75')).toBe(tooFar);
    expect(expiryError('12/77')).toBe(expired);
    const late = Date.parse('2080-06-01T00:00:00Z');
    expect(expiryError('12/31', late)).toBe(expired);
    expect(expiryError('12/29', late)).toBe(tooFar);
    // Fifty years away on either side: the century of the clock.
    expect(expiryError('12/76')).toBe(tooFar);
    expect(expiryError('12/30', late)).toBe(expired);
  });

  test.each(['08/29', '8/29', '08 / 29', ' 08/2029 ', '08-29', '08.2029', '08 29', '0829', '2029-08', ' 2029/8 '])(
    '%j is August 2029',
    (expiry) => {
      expect(expiryError(expiry, Date.parse('2029-08-31T23:59:59.999Z'))).toBeUndefined();
      expect(expiryError(expiry, Date.parse('2029-09-01T00:00:00Z'))).toBe('This card has expired. Use another one.');
    },
  );

  test.each(['1', '2029'])('%s and any number of spaces take no longer than to read them', (start) => {
    expect(expiryError(`${start}${' '.repeat(1_000_000)}x`)).toMatch(/^Write the expiry date/);
    expect(expiryError(`${start}${' '.repeat(1_000_000)}${start === '1' ? 29 : 8}`)).toBeUndefined();
  });

  test.each(['', '  '])('%j is asked for', (expiry) => {
    expect(expiryError(expiry)).toBe('Enter the expiry date.');
  });

  test('the filled-in one is written as the page asks for it', () => {
    expect(laterExpiry(NOW)).toBe('01 / 29');
    expect(laterExpiry(Date.parse('2097-12-31T23:59:59Z'))).toBe('12 / 00');
    expect(laterExpiry(Date.parse('2002-11-01T00:00:00Z'))).toBe('11 / 05');
  });

  test('the filled-in one is good on every clock', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Date.UTC(9990, 0, 1) }), (now) => {
        expect(expiryError(laterExpiry(now), now)).toBeUndefined();
      }),
    );
  });

  test.each(['0/30', '13/30', '00/30', '1230x', '12//30', '12/3', '12/303', 'December 2030'])(
    '%s is none',
    (expiry) => {
      expect(expiryError(expiry)).toBe('Write the expiry date as month and year, like 08 / 29.');
    },
  );
});
