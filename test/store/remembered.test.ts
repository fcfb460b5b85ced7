import { describe, expect, it } from 'vitest';
import { remembered, revisions } from '../../src/store/remembered.ts';

describe('what a table remembers of its rows', () => {
  it('returns what was set until it is deleted or cleared', () => {
    const known = remembered<number, string>();
    expect(known.set(1, 'one')).toBe('one');
    known.set(2, 'two');
    known.delete(1);
    expect([known.get(1), known.get(2)]).toEqual([undefined, 'two']);
    known.clear();
    expect(known.get(2)).toBeUndefined();
  });

  it('drops the oldest instead of growing for ever', () => {
    const known = remembered<number, number>();
    for (let n = 0; n <= 1000; n += 1) known.set(n, n);
    expect([known.get(0), known.get(1), known.get(1000)]).toEqual([undefined, 1, 1000]);
  });
});

describe('the revision of a row', () => {
  it('is another number after each write, and after everything was forgotten', () => {
    const rows = revisions();
    const seen = [rows.of(1)];
    expect(rows.of(1)).toBe(seen[0]);
    rows.changed(1);
    seen.push(rows.of(1));
    rows.forget();
    seen.push(rows.of(1), rows.of(2));
    expect(new Set(seen).size).toBe(4);
  });
});
