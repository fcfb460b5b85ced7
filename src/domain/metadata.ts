/** §2.4: the merchant's own map, stored and returned, never interpreted. */
export type Metadata = Readonly<Record<string, string>>;
