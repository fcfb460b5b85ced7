import { join } from 'node:path';

const FILE = join(import.meta.dirname, '../src/time/timers.ts');

/** What replaces the global timers in the bundle, as file and name. */
export const realTimers: Record<string, [file: string, name: string]> = {
  setTimeout: [FILE, 'setTimeout'],
  clearTimeout: [FILE, 'clearTimeout'],
  setInterval: [FILE, 'setInterval'],
  clearInterval: [FILE, 'clearInterval'],
  setImmediate: [FILE, 'setImmediate'],
  queueMicrotask: [FILE, 'queueMicrotask'],
  'process.nextTick': [FILE, 'nextTick'],
};

/** What Jest leaves out where it emulates a browser. */
export const textCoders: Record<string, [module: string, name: string]> = {
  TextEncoder: ['node:util', 'TextEncoder'],
  TextDecoder: ['node:util', 'TextDecoder'],
};
