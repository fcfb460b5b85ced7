import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { escapeRegExp } from './reg-exp.ts';

/** An empty folder in which `npx layaway` and `import 'layaway'` find this package. */
export async function userFolder() {
  const path = await mkdtemp(join(tmpdir(), 'layaway-user-'));
  await mkdir(join(path, 'node_modules/.bin'), { recursive: true });
  await symlink(inject('layaway'), join(path, 'node_modules/layaway'));
  await symlink('../layaway/bin/layaway.js', join(path, 'node_modules/.bin/layaway'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** The section of a document with this second-level heading. */
export const sectionOf = (document: string, title: string) =>
  document.split(/^## /m).find((text) => text.startsWith(title)) as string;

/** The code blocks in these languages. */
export const blocksOf = (text: string, ...languages: [string, ...string[]]) =>
  [...text.matchAll(new RegExp(`^\`\`\`(?:${languages.join('|')})\\n(.*?)^\`\`\``, 'gms'))].map(
    ([, code]) => code as string,
  );

/** The commands of a document, with the output that it shows. `…` stands for anything. */
export const stepsOf = (text: string) =>
  [...text.matchAll(/^```sh\n(.*?)^```\n(?:```text\n(.*?)^```)?/gms)].map(([, commands, answer]) => ({
    commands: commands as string,
    answer: answer?.trim() ?? '',
  }));

export const answerPattern = (answer: string) => {
  const parts = answer.split('…').map(escapeRegExp);
  return new RegExp(`^${parts.join('[^]*?')}$`);
};
