/** How many texts a ring holds, and how many bytes at most. */
export const KEPT = 2_000;
export const SIZE = 4 * 2 ** 20;
/** The rings of most tests never need more. */
const FIRST_SIZE = 2 ** 16;
/**
 * How many numbers can be looked up directly. There are more than texts, because a request that is answered late has a
 * number far below those of its neighbours.
 */
const FOUND = 8 * KEPT;

/**
 * The latest texts, as bytes in a ring that grows to its full size: thousands of long-lived objects would slow down every
 * garbage collection and make the heap several times larger. Each has a place, the next one in order, and a number.
 * `before` is the place before the first.
 */
export function createRing(before: number) {
  let bytes = Buffer.allocUnsafeSlow(FIRST_SIZE);
  /** By `place % KEPT`: the number of the text, its start (counted over all rounds of the ring) and its length. */
  const numbers = new Float64Array(KEPT);
  const starts = new Float64Array(KEPT);
  const lengths = new Uint32Array(KEPT);
  /** The place of a text, by `number % FOUND`. */
  const places = new Float64Array(FOUND);
  let last = before;
  let end = 0;

  /** During the first round, texts already have their final position in the full ring. */
  function makeRoom(needed: number) {
    if (needed <= bytes.length || bytes.length === SIZE) return;
    const larger = Buffer.allocUnsafeSlow(Math.min(SIZE, Math.max(needed, 4 * bytes.length)));
    bytes.copy(larger);
    bytes = larger;
  }

  const isOverwritten = (place: number) => (starts[place % KEPT] as number) < end - SIZE;
  const oldest = () => Math.max(before, last - KEPT) + 1;

  return {
    /** False if the text is larger than the whole ring. */
    write(number: number, text: string): boolean {
      const left = SIZE - (end % SIZE);
      let start = end;
      // A character takes at most three bytes. Most texts fit even so, and need not be counted.
      if (3 * text.length > left) {
        const needed = Buffer.byteLength(text);
        if (needed > SIZE) return false;
        if (needed > left) start += left;
      }
      makeRoom(start < SIZE ? start + 3 * text.length : SIZE);
      const length = bytes.write(text, start % SIZE);
      last += 1;
      numbers[last % KEPT] = number;
      places[number % FOUND] = last;
      starts[last % KEPT] = start;
      lengths[last % KEPT] = length;
      end = start + length;
      return true;
    },
    /** The place of the latest text. */
    last: () => last,
    /** The place before which there is no text. Those from there on may be overwritten. */
    oldest,
    /** Null if it is overwritten. */
    textAt(place: number): string | null {
      if (isOverwritten(place)) return null;
      const start = (starts[place % KEPT] as number) % SIZE;
      return bytes.toString('utf8', start, start + (lengths[place % KEPT] as number));
    },
    isOverwritten,
    numberAt: (place: number) => numbers[place % KEPT] as number,
    /** Null if the text with this number was dropped or never written. */
    placeOf(number: number): number | null {
      const place = places[number % FOUND] as number;
      return place >= oldest() && numbers[place % KEPT] === number ? place : null;
    },
  };
}
