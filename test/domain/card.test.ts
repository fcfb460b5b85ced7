import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkCard, laterExpiry, passesLuhn } from '../../src/domain/card.ts';

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
