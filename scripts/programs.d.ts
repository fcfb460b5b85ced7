export const PROGRAMS: Readonly<
  Record<string, { readonly debian: string; readonly needs?: string; readonly isOptional?: boolean }>
>;
export function missingPrograms(names?: readonly string[], cache?: string | null): string[];
export function debianPackages(names: readonly string[]): string[];
export function isOptional(name: string): boolean;
