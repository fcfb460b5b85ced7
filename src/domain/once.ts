/** A function that does its work when it is first called, and returns the same result from then on. */
export function once<T>(work: () => T): () => T {
  let result: { readonly of: T } | undefined;
  return () => {
    result ??= { of: work() };
    return result.of;
  };
}
