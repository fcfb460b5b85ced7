import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files and folders of the repository that the build of the image is sent: `.dockerignore` ignores all others. */
export const imageContext = (root) =>
  [...readFileSync(join(root, '.dockerignore'), 'utf8').matchAll(/^!(.+)$/gm)].map(([, name]) => name);
