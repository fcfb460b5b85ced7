/** §2.4: the merchant's own map, stored and echoed, never read. */
export type Metadata = Readonly<Record<string, string>>;
