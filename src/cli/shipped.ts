import { existsSync } from 'node:fs';

/** A file of `fixtures/` in the package, wherever the build puts this module. */
export function shippedFile(name: string): URL {
  const homes = ['../fixtures/', '../../fixtures/'].map((home) => new URL(`${home}${name}`, import.meta.url));
  const file = homes.find((home) => existsSync(home));
  if (!file) throw new Error(`${name} is not part of this package.`);
  return file;
}
