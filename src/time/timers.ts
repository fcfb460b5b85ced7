/**
 * The timers of the process, taken when the library is loaded. The build puts them in place of the global ones, in
 * bundled packages too, so that a test that fakes timers does not stop the simulator in its process.
 */
export const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, queueMicrotask } = globalThis;
export const { nextTick } = process;
