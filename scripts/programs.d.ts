export const PROGRAMS: Readonly<Record<string, { readonly debian: string; readonly needs?: string }>>;
export function missingPrograms(names?: readonly string[], cache?: string | null): string[];
export function debianPackages(names: readonly string[]): string[];
