/** What ends each program that is running now, so that a figure that hangs can be given up. */
const enders = new Set<() => void>();

/** Answers what to call when the program has ended by itself. */
export function endWhenAbandoned(end: () => void): () => void {
  enders.add(end);
  return () => void enders.delete(end);
}

export function abandon() {
  for (const end of enders) end();
  enders.clear();
}
