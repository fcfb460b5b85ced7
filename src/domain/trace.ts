/** A value of a table; bytes as hexadecimal digits. */
export type Cell = string | number | null | { readonly hex: string };

/** Every row of every table, as plain data. */
export interface Dump {
  /** The version of the schema. */
  readonly schema: number;
  readonly tables: Readonly<
    Record<string, { readonly columns: readonly string[]; readonly rows: readonly (readonly Cell[])[] }>
  >;
}

/** The server's part of a trace. The program that saves it adds what failed. */
export interface TraceState extends Dump {
  readonly layaway: string;
  readonly saved_at: string;
  readonly seed: string | null;
  /** The flags of the command that started the server. */
  readonly flags: readonly string[];
}
