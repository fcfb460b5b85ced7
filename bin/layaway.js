#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `layaway needs Node 20.19 or later; this is ${process.versions.node}. Install a newer one from nodejs.org.`,
  );
  process.exit(1);
}
await import('../dist/cli/main.js');
