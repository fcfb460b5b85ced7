import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';
import { CannotStart } from './domain/cannot-start.ts';

/** The installed better-sqlite3 does not run under this version of Node. */
export class WrongSqlite extends CannotStart {
  readonly fault: string;
  readonly advice: string;

  constructor(fault: string, advice: string) {
    super(`${fault}. ${advice}`);
    this.fault = fault;
    this.advice = advice;
  }
}

/**
 * Loads better-sqlite3 on first use, through require: it is native and CommonJS.
 * @throws WrongSqlite for a version that would end the process without a word
 */
export function loadSqlite(): typeof BetterSqlite3 {
  const load = createRequire(import.meta.url);
  const { node } = process.versions;
  if (Number.parseInt(node, 10) < 22) {
    const { version } = load('better-sqlite3/package.json') as { readonly version: string };
    if (Number.parseInt(version, 10) > 12) {
      throw new WrongSqlite(
        `better-sqlite3 ${version} needs Node 22 or later; this is ${node}`,
        'Use a newer Node, or run npm install better-sqlite3@12 with this one.',
      );
    }
  }
  return load('better-sqlite3');
}
