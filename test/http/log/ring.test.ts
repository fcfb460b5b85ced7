import { array, assert, constantFrom, integer, property, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRing, KEPT, SIZE } from '../../../src/http/log/ring.ts';

type Ring = ReturnType<typeof createRing>;
type Stretch = [count: number, lengthMax: number, character: string];

/** Texts of one kind after the other: how many, of how many characters at most, in which script. */
const stretches = array(
  tuple(
    integer({ min: 1, max: 2 * KEPT }),
    constantFrom(10, 40, 200, 1_000, 3_000),
    constantFrom('a', 'é', '語', '🛒'),
  ),
  { minLength: 2, maxLength: 5 },
);

/** The ring goes round before it grows, at its first size, at a later one and at its full size. */
const ROUND_AND_LARGER: Stretch[] = [
  [3_000, 40, 'a'],
  [500, 1_000, 'é'],
  [6_000, 200, 'a'],
  [2_500, 3_000, '語'],
];

describe('the ring of the request log', () => {
  it('holds the latest texts as they were written, and drops one only for newer ones that need its room', () => {
    const holds = property(stretches, integer({ min: 0, max: 10_000 }), (kinds, before) => {
      const ring = createRing(before);
      const written: string[] = [];
      for (const [count, lengthMax, character] of kinds) {
        for (let index = 1; index <= count; index += 1) {
          const text = `${written.length} ${character.repeat((index * 7919) % lengthMax)}`;
          expect(ring.write(written.length, text)).toBe(true);
          written.push(text);
          if (index % 100 === 0 || index === count) expect(wrongPlaces(ring, written, before)).toEqual([]);
        }
      }
    });
    assert(holds, { numRuns: 8, examples: [[ROUND_AND_LARGER, 0]] });
  });

  it('holds the oldest of the latest texts until the next one is written, however little room is left', () => {
    for (let longer = 0; longer < 40; longer += 1) {
      const ring = createRing(0);
      const overwritten: number[] = [];
      // They grow so slowly that the ring goes round before it has to grow.
      for (let number = 0; number < 8 * KEPT; number += 1) {
        ring.write(number, 'x'.repeat(20 + number / 400 + ((number * 7919) % (10 + longer))));
        if (ring.isOverwritten(ring.oldest())) overwritten.push(number);
      }
      expect(overwritten).toEqual([]);
    }
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

/** The places at which the ring does not hold the text that it should. */
function wrongPlaces(ring: Ring, written: readonly string[], before: number): number[] {
  expect(ring.last()).toBe(before + written.length);
  const wrong: number[] = [];
  let [bytes, longest] = [0, 0];
  for (let place = ring.last(); place >= ring.oldest(); place -= 1) {
    const number = place - before - 1;
    const text = written[number] as string;
    const length = Buffer.byteLength(text);
    [bytes, longest] = [bytes + length, Math.max(longest, length)];
    // No text is split at the end of the ring, so some of it may stay empty there.
    const isHeld = bytes + longest <= SIZE || !ring.isOverwritten(place);
    if (ring.textAt(place) !== (isHeld ? text : null) || ring.placeOf(number) !== place) wrong.push(place);
  }
  return wrong;
}
