/** §2.4: the merchant's own map, stored and echoed, never read. */
export type Metadata = Readonly<Record<string, string>>;

/** Values are trimmed (§2.4); `__proto__` is a key like any other. */
export const trimValues = (metadata: Metadata): Metadata =>
  Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, value.trim()]));
