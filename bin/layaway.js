#!/usr/bin/env node
import module from 'node:module';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `layaway needs Node 20.19 or later; this is ${process.versions.node}. Install a newer one from nodejs.org.`,
  );
  process.exit(1);
}
// Node 22 and later keep what they compiled for the next start.
module.enableCompileCache?.();
await import('../dist/cli/main.js');
