/** Loaded into a server before its own code: tells what the process holds once its garbage is collected. */
process.on('message', (question) => {
  if (question !== 'rss') return;
  globalThis.gc?.();
  setTimeout(() => {
    globalThis.gc?.();
    process.send?.({ rss: process.memoryUsage.rss() });
  }, 300);
});
process.channel?.unref();
