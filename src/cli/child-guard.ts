import { spawn } from 'node:child_process';

/**
 * A small process that ends the child when this process is killed outright. It notices because the system then closes
 * its stdin.
 */
const SCRIPT = `
  let target;
  process.stdin.on('data', (text) => {
    for (const line of String(text).split('\\n')) if (line) target = Number(line);
    if (target === 0) process.exit();
  });
  process.stdin.on('end', () => {
    const signal = (name) => {
      try { process.kill(target, name); } catch { process.exit(); }
    };
    if (!target) return;
    if (process.platform === 'win32') {
      const how = { stdio: 'ignore', windowsHide: true };
      return require('node:child_process').spawnSync('taskkill', ['/pid', String(target), '/t', '/f'], how);
    }
    signal('SIGTERM');
    const patience = setInterval(() => signal(0), 50);
    setTimeout(() => { clearInterval(patience); signal('SIGKILL'); }, 2000);
  });
`;

export interface Guard {
  /** Ends the process with this id, or the group with its negative, when this process is gone. */
  watch(target: number): void;
  /** Ends the guard: nothing is left to watch. */
  dismiss(): void;
}

export function keepGuard(): Guard {
  // Detached, it would open a window of its own on Windows.
  const guard = spawn(process.execPath, ['-e', SCRIPT], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    windowsHide: true,
  });
  // Without the guard the command still runs; only kill -9 leaves something behind.
  guard.on('error', () => undefined);
  guard.stdin.on('error', () => undefined);
  guard.unref();
  return {
    watch: (target) => void guard.stdin.write(`${target}\n`),
    dismiss: () => void guard.stdin.end('0\n'),
  };
}
