import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { failure, unreachable } from '../exit.ts';

/** A program that ends with an error within this time has opened nothing. */
const START_MS = 1000;

/**
 * Opens a page in the browser that `$BROWSER` names, or else in the default browser of this system.
 * @throws CommandError when that fails, or when the URL is not a web page
 */
export async function openInBrowser(url: string): Promise<void> {
  // A parser reads `http:file:///…` as a web page; the program that opens it need not.
  if (!/^https?:\/\/[^/\\]/i.test(url) || !URL.canParse(url)) {
    throw unreachable('The server sent a URL that is not a web page. It was not opened.');
  }
  const end = await startBrowser(new URL(url).href).then(endOf, (error: Error) => error);
  if (end !== 0) throw failure('The browser could not be started. Open the URL yourself.', end);
}

/** No shell in between: the URL comes from a server. Modules are loaded here, because few commands need them. */
async function startBrowser(url: string): Promise<ChildProcess> {
  const { BROWSER = '' } = process.env;
  // The path of a program may hold a space.
  const [program, ...args] = existsSync(BROWSER) ? [BROWSER] : BROWSER.split(/\s+/).filter((word) => word !== '');
  if (program === undefined) return (await import('open')).default(url);
  const { spawn } = await import('node:child_process');
  const hasPlace = args.some((arg) => arg.includes('%s'));
  const withUrl = hasPlace ? args.map((arg) => arg.replaceAll('%s', () => url)) : [...args, url];
  const child = spawn(program, withUrl, { stdio: 'ignore', detached: true });
  await once(child, 'spawn');
  child.unref();
  return child;
}

/** The exit code of a program; 0 if it still runs. */
async function endOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode;
  let patience: NodeJS.Timeout | undefined;
  const code = await new Promise<number | null>((resolve) => {
    patience = setTimeout(resolve, START_MS, 0);
    child.once('exit', resolve);
  });
  clearTimeout(patience);
  return code;
}
