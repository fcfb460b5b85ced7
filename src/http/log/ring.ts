/** How many texts a ring holds, and how many bytes at most. */
export const KEPT = 2_000;
export const SIZE = 4 * 2 ** 20;
/** The rings of most tests never need more. */
const FIRST_SIZE = 2 ** 16;
const GROWTH = 1.5;
/**
 * How many numbers can be looked up directly. There are more than texts, because a request that is answered late has a
 * number far below those of its neighbors.
 */
const FOUND = 8 * KEPT;

export type Ring = ReturnType<typeof createRing>;

/**
 * The latest texts, as bytes in a ring that grows until it holds all of them: thousands of long-lived objects would slow
 * down every garbage collection and make the heap several times larger. Each has a place, the next one in order, and a
 * number. `before` is the place before the first.
 */
export function createRing(before: number) {
  let bytes = Buffer.allocUnsafeSlow(FIRST_SIZE);
  /** How many of the bytes are in use. The system provides memory only for those. */
  let size = FIRST_SIZE;
  /** By `place % KEPT`: the number of the text, its start (counted over all rounds of the ring) and its length. */
  const numbers = new Float64Array(KEPT);
  const starts = new Float64Array(KEPT);
  const lengths = new Uint32Array(KEPT);
  /** The place of a text, by `number % FOUND`. */
  const places = new Float64Array(FOUND);
  let last = before;
  let end = 0;

  const startAt = (place: number) => starts[place % KEPT] as number;
  const lengthAt = (place: number) => lengths[place % KEPT] as number;
  const isOverwritten = (place: number) => startAt(place) < end - size;
  const oldest = () => Math.max(before, last - KEPT) + 1;
  const left = () => size - (end % size);
  /** Where a text of this length begins. Texts are never split. */
  const nextStart = (length: number) => (length > left() ? end + left() : end);

  function bytesAt(place: number): Buffer {
    const start = startAt(place) % size;
    return bytes.subarray(start, start + lengthAt(place));
  }

  /** Whether there is room for the next text without overwriting others that the ring must hold. */
  function fits(length: number): boolean {
    const first = Math.max(before, last + 1 - KEPT) + 1;
    const free = first > last ? size : startAt(first) + size - nextStart(length);
    return length <= free;
  }

  function grow() {
    if (end > size) unroll();
    size = Math.min(SIZE, Math.ceil(GROWTH * size));
    if (size <= bytes.length) return;
    const all = Buffer.allocUnsafeSlow(SIZE);
    bytes.copy(all);
    bytes = all;
  }

  /** Moves the texts to where they would be in a first round: in a later one, the position depends on the size. */
  function unroll() {
    const texts: Buffer[] = [];
    for (let place = oldest(); place <= last; place += 1) texts.push(bytesAt(place));
    const joined = Buffer.concat(texts);
    joined.copy(bytes);
    end = joined.length;
    for (let place = last, start = end; place >= oldest(); place -= 1) {
      start -= lengthAt(place);
      starts[place % KEPT] = start;
    }
  }

  return {
    /** False if the text is larger than the whole ring. */
    write(number: number, text: string): boolean {
      // A character takes at most three bytes. Most texts fit even so, and need not be counted.
      let needed = 3 * text.length;
      if (needed > left() || !fits(needed)) {
        needed = Buffer.byteLength(text);
        if (needed > SIZE) return false;
        while (!fits(needed) && size < SIZE) grow();
      }
      const start = nextStart(needed);
      const length = bytes.write(text, start % size);
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
      return isOverwritten(place) ? null : bytesAt(place).toString();
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
