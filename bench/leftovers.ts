/** Functions that end the running programs, so that a hanging figure can be given up. */
const enders = new Set<() => void>();

/** Returns a function to call when the program has ended by itself. */
export function endWhenAbandoned(end: () => void): () => void {
  enders.add(end);
  return () => void enders.delete(end);
}

export function abandon() {
  for (const end of enders) end();
  enders.clear();
}
