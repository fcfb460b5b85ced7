import { describe, expect, test } from 'vitest';
import { reprinted } from '../../src/certify/text.ts';

describe('interface §10: raw-body', () => {
  test.each(['white space', 'key order', 'escapes'] as const)('%s: other bytes, the same content', (style) => {
    const value = { quoted: 'says "a": b', path: 'a\\', 'key\\': '": ', nested: [{ '"': ': ' }], text: 'Grüße' };
    const text = reprinted(JSON.stringify(value), style);
    expect(text).not.toBe(JSON.stringify(value));
    expect(JSON.parse(text)).toEqual(value);
  });
});
