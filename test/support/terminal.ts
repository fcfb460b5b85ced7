import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { escapeRegExp } from './reg-exp.ts';

/** Runs a program at a real pseudo-terminal, which `script` creates. Its output is read without colours. */
export function atTerminal(
  command: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  columns = 100,
) {
  const line = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const child = spawn('script', ['-qefc', `stty cols ${columns} rows 40; exec ${line}`, '/dev/null'], {
    cwd,
    env: { PATH: process.env.PATH, TERM: 'xterm', SHELL: '/bin/sh', ...env },
  });
  let raw = '';
  let seenTo = 0;
  const watchers = new Set<() => void>();
  const changed = () => {
    for (const watcher of watchers) watcher();
  };
  child.stdout.on('data', (chunk) => {
    raw += chunk;
    changed();
  });
  let code: number | null | undefined;
  const ended = new Promise<number | null>((resolve) =>
    child.on('close', (given) => {
      code = given;
      changed();
      resolve(given);
    }),
  );
  const text = () => stripVTControlCharacters(raw).replaceAll('\r\n', '\n');

  return {
    ended,
    text,
    raw: () => raw,
    /** Resolves when this appears after what was seen before. */
    see(wanted: string | RegExp): Promise<void> {
      const pattern = typeof wanted === 'string' ? new RegExp(escapeRegExp(wanted)) : wanted;
      return new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(text().slice(seenTo));
          if (!found && code === undefined) return;
          watchers.delete(look);
          if (!found) return reject(new Error(`it ended with ${code} and never showed ${pattern}:\n${text()}`));
          seenTo += found.index + found[0].length;
          resolve();
        };
        watchers.add(look);
        look();
      });
    },
    type: (keys: string) => void child.stdin.write(keys),
    kill: () => void child.kill('SIGKILL'),
  };
}

export const ENTER = '\r';
export const TAB = '\t';
export const CTRL_C = '\u0003';
export const DOWN = '\u001b[B';
