/** The result of one check; `advice` says what to do. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly advice: string | null;
}

export const well = (name: string, detail: string, advice: string | null = null): Check => ({
  name,
  ok: true,
  detail,
  advice,
});

export const broken = (name: string, detail: string, advice: string): Check => ({ name, ok: false, detail, advice });
