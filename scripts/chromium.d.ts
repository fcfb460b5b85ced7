/** @returns the path of a Chromium, or null if none is available for this machine */
export function findChromium(cache: string): string | null;
export function knownChromium(cache: string): string | null;
export function fetchedChromium(cache: string): string | null;
export function chromiumHint(): string;
