/** Preloaded into a server: reports the memory of the process after garbage collection. */
process.on('message', (question) => {
  if (question !== 'rss') return;
  globalThis.gc?.();
  setTimeout(() => {
    globalThis.gc?.();
    process.send?.({ rss: process.memoryUsage.rss() });
  }, 300);
});
// A bench that was killed leaves no server behind.
process.on('disconnect', () => process.exit());
process.channel?.unref();
