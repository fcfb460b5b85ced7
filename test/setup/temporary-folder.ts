import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What tests leave in the temporary folder goes with it. */
export default async function setup() {
  const temporary = await mkdtemp(join(tmpdir(), 'layaway-tests-'));
  // As open as the temporary folder itself: some tests are another user.
  await chmod(temporary, 0o755);
  process.env.TMPDIR = temporary;
  return () => rm(temporary, { recursive: true, force: true, maxRetries: 5 });
}
