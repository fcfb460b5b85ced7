import { spawnSync } from 'node:child_process';

/** Ends a process of Windows and all that it started: without signals and groups, ending a shell would leave its command. */
export const endTree = (pid: number) =>
  void spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true });
