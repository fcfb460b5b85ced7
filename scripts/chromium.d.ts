/** @returns its path, or null when this machine can have none */
export function findChromium(cache: string): string | null;
export function knownChromium(cache: string): string | null;
export function fetchedChromium(cache: string): string | null;
export function chromiumHint(): string;
