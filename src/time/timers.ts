const { runInThisContext } = process.getBuiltinModule('node:vm');

/** The global object of Node. In Jest, code has another one, with what jsdom has, or what Jest fakes from the start. */
const node = runInThisContext('globalThis') as typeof globalThis;

/**
 * The timers and the clock of the process, taken when the library is loaded. The build puts the timers in place of the
 * global ones, in bundled packages too, so that a test that fakes timers does not stop the simulator in its process. Those
 * of the module are real even if the global ones were faked before, as in a setup file of Vitest.
 */
export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate } =
  process.getBuiltinModule('node:timers');
export const { queueMicrotask } = node;
export const { nextTick } = node.process;
export const { now } = node.Date;
/** Milliseconds that only grow. Its module is loaded by the first wait, because few commands wait. */
export const elapsedMs = () => process.getBuiltinModule('node:perf_hooks').performance.now();
