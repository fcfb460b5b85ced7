import { spawnSync } from 'node:child_process';

/** Ends a process on Windows with all that it started. Ending only a shell there would leave its command running. */
export const endTree = (pid: number) =>
  void spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true });
