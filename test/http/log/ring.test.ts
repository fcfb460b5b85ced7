import { array, assert, constantFrom, integer, property, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRing, KEPT, SIZE } from '../../../src/http/log/ring.ts';

/** Texts of one kind after the other: how many, of how many characters at most, in which script. */
const stretches = array(
  tuple(integer({ min: 1, max: KEPT + 500 }), integer({ min: 1, max: 3_000 }), constantFrom('a', 'é', '語', '🛒')),
  { minLength: 1, maxLength: 4 },
);

describe('the ring of the request log', () => {
  it('holds the latest texts as they were written, and drops one only for newer ones that need its room', () => {
    assert(
      property(stretches, integer({ min: 0, max: 10_000 }), (kinds, before) => {
        const ring = createRing(before);
        const written: string[] = [];
        for (const [count, lengthMax, character] of kinds) {
          for (let index = 0; index < count; index += 1) {
            const text = `${written.length} ${character.repeat((index * 7919) % lengthMax)}`;
            expect(ring.write(written.length, text)).toBe(true);
            written.push(text);
          }
          expect(ring.last()).toBe(before + written.length);
          let [bytes, longest] = [0, 0];
          for (let place = ring.last(); place >= ring.oldest(); place -= 1) {
            const text = written[place - before - 1] as string;
            const length = Buffer.byteLength(text);
            [bytes, longest] = [bytes + length, Math.max(longest, length)];
            // No text is split at the end of the ring, so some of it may stay empty there.
            const hasRoom = bytes + longest <= SIZE;
            expect(ring.textAt(place)).toBe(hasRoom || !ring.isOverwritten(place) ? text : null);
            expect(ring.placeOf(place - before - 1)).toBe(place);
          }
        }
      }),
      { numRuns: 8 },
    );
  });

  it('holds one text of its whole size, and refuses a larger one', () => {
    const ring = createRing(0);
    ring.write(1, 'small');
    expect(ring.write(2, 'x'.repeat(SIZE + 1))).toBe(false);
    expect(ring.textAt(1)).toBe('small');
    expect(ring.write(2, 'x'.repeat(SIZE))).toBe(true);
    expect([ring.isOverwritten(1), ring.textAt(2)?.length]).toEqual([true, SIZE]);
  });
});
