/** Only the database is compiled, for one system and version of Node. */
export const isNativeFault = (error: unknown): error is Error =>
  error instanceof Error &&
  /NODE_MODULE_VERSION|bindings file|better_sqlite3\.node|'better-sqlite3'/.test(error.message);

/** One line, because the system's own message may have several. */
export const nativeFault = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error);
  return `better-sqlite3 does not load: ${reasonIn(text).replace(/\.$/, '')}`;
};

function reasonIn(text: string): string {
  const versions = [...text.matchAll(/NODE_MODULE_VERSION \d+/g)];
  if (versions.length > 1) return 'it was compiled for another version of Node';
  // What follows is a list of all the places where it could be.
  if (text.includes('Could not locate the bindings file')) return 'its compiled part is missing';
  return text.split('\n')[0] ?? '';
}

export const NATIVE_ADVICE =
  'Rebuild it for the current version of Node with npm rebuild better-sqlite3, or run npm install layaway. npm must be allowed to run its install script; newer versions ask for npm install-scripts approve better-sqlite3 first.';
