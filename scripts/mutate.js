import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stryker = join(root, 'node_modules/@stryker-mutator/core/bin/stryker.js');
/** A room within another one comes first. It is separate because its suites take long. */
const ROOMS = ['domain/explain', 'domain', 'time', 'webhook', 'engine'];
const roomOf = (file) => ROOMS.find((room) => file.startsWith(`src/${room}/`));

/** `npm run mutate [-- <room or file>...]` runs each room with the suites that decide on it. */
const args = process.argv.slice(2);
for (const arg of args) {
  if (ROOMS.includes(arg) || roomOf(arg)) continue;
  process.stderr.write(
    `${arg} is neither a room (${ROOMS.join(', ')}) nor a file in one, such as src/domain/money.ts.\n`,
  );
  process.exit(2);
}
for (const room of ROOMS) {
  const files = args.filter((arg) => roomOf(arg) === room);
  const isWhole = args.length === 0 || args.includes(room);
  if (!isWhole && files.length === 0) continue;
  process.stdout.write(`\n${room}: ${isWhole ? 'every file' : files.join(', ')}\n`);
  const { status } = spawnSync(process.execPath, [stryker, 'run', ...(isWhole ? [] : ['--mutate', files.join(',')])], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, MUTATE_ROOM: room },
  });
  if (status !== 0) process.exitCode = 1;
}
