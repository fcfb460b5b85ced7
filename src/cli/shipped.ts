import { existsSync } from 'node:fs';

/** A file of the package, wherever the build puts this module. */
export function shippedFile(name: `${'fixtures' | 'docs'}/${string}`): URL {
  const homes = ['../', '../../'].map((home) => new URL(`${home}${name}`, import.meta.url));
  const file = homes.find((home) => existsSync(home));
  if (!file) throw new Error(`${name} is not part of this package.`);
  return file;
}
