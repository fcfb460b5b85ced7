import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';

const LOOPBACK = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Resolves a name of this machine to both of its loopback addresses. Many systems name only one of them, or do not know
 * the subdomains, while a receiver may listen on the other one. Node tries one address after the other.
 */
export const resolveLocalhost: LookupFunction = (hostname, options, callback) => {
  if (!options.all) return lookup(hostname, options, callback);
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const found = error ? [] : addresses;
    const others = LOOPBACK.filter(({ address }) => found.every((known) => known.address !== address));
    callback(null, [...found, ...others]);
  });
};
