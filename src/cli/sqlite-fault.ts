/** Only the database is compiled, for one system and version of Node. */
export const isNativeFault = (error: unknown): error is Error =>
  error instanceof Error &&
  /NODE_MODULE_VERSION|bindings file|better_sqlite3\.node|'better-sqlite3'/.test(error.message);

/** One line, because the system's own message may have several. */
export const nativeFault = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error);
  const versions = [...text.matchAll(/NODE_MODULE_VERSION \d+/g)];
  const reason = versions.length > 1 ? 'it was compiled for another version of Node' : (text.split('\n')[0] ?? '');
  return `better-sqlite3 does not load: ${reason.replace(/\.$/, '')}`;
};

export const NATIVE_ADVICE =
  'Rebuild it for the current version of Node with npm rebuild better-sqlite3, or run npm install layaway. npm must be allowed to run its install script; newer versions ask for npm install-scripts approve better-sqlite3 first.';
