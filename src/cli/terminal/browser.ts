import { existsSync } from 'node:fs';
import { failure, unreachable } from '../exit.ts';

/** A program that ends with an error within this time has opened nothing. */
const START_MS = 1000;

/**
 * Opens a page in the default browser of this system.
 * @throws CommandError when that fails, or when the URL is not a web page
 */
export async function openInBrowser(url: string): Promise<void> {
  // A parser reads `http:file:///…` as a web page; the program that opens it need not.
  if (!/^https?:\/\/[^/\\]/i.test(url) || !URL.canParse(url)) {
    throw unreachable('The server sent a URL that is not a web page. It was not opened.');
  }
  // Loaded here, because few commands start a program.
  const { spawn } = await import('node:child_process');
  const [program, ...args] = opener(new URL(url).href);
  const child = spawn(program, args, { stdio: 'ignore', detached: true });
  let patience: NodeJS.Timeout | undefined;
  const end = await new Promise<Error | number | null>((resolve) => {
    patience = setTimeout(resolve, START_MS, 0);
    child.once('error', resolve).once('exit', resolve);
  });
  clearTimeout(patience);
  child.unref();
  if (end !== 0) throw failure('The browser could not be started. Open the URL yourself.', end);
}

/** The program and its arguments. No shell in between: the URL comes from a server. */
function opener(url: string): [string, ...string[]] {
  const { BROWSER = '' } = process.env;
  // The path of a program may hold a space.
  const [program, ...args] = existsSync(BROWSER) ? [BROWSER] : BROWSER.split(/\s+/).filter((word) => word !== '');
  if (program !== undefined) {
    const hasPlace = args.some((arg) => arg.includes('%s'));
    return [program, ...(hasPlace ? args.map((arg) => arg.replaceAll('%s', () => url)) : [...args, url])];
  }
  if (process.platform === 'darwin') return ['open', url];
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url];
  return ['xdg-open', url];
}
