import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What tests leave in the temporary folder goes with it. */
export default async function setup() {
  // The folder may be reached through a link, as it is on macOS. Programs name the one that it leads to.
  const temporary = await mkdtemp(join(await realpath(tmpdir()), 'layaway-tests-'));
  // As open as the temporary folder itself: some tests are another user.
  await chmod(temporary, 0o755);
  process.env.TMPDIR = temporary;
  return () => rm(temporary, { recursive: true, force: true, maxRetries: 5 });
}
