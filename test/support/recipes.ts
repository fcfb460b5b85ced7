import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { blocksOf, sectionOf } from './walk-through.ts';

const readme = await readFile(join(import.meta.dirname, '../../README.md'), 'utf8');
const section = sectionOf(readme, 'In CI\n');

const blocks = (language: string) => blocksOf(section, language);

/** The only block with these words. */
function the(language: string, words: string): string {
  const [block, another] = blocks(language).filter((text) => text.includes(words));
  if (block === undefined || another !== undefined)
    throw new Error(`The README does not have exactly one ${language} block with “${words}”.`);
  return block;
}

/** The number of blocks in the section. A test runs each of them. */
export const COUNT = blocks('sh').length + blocks('yaml').length;

/** The command that installs the tarball that a store keeps. */
export const INSTALL = /`(npm install --save-dev [^`]+\.tgz)`/.exec(section)?.[1] as string;

export const SHELL = the('sh', 'npm ci');
export const BESIDE = the('sh', 'layaway serve');
export const PLAYWRIGHT = the('sh', 'playwright test');
export const CONTAINER = the('sh', 'docker run');

interface Workflow {
  readonly jobs: { readonly test: { readonly steps: readonly Step[] } };
}
interface Step {
  readonly run?: string;
  readonly if?: string;
  readonly with?: { readonly path?: string };
}
const { steps } = (parse(the('yaml', '.github/workflows')) as Workflow).jobs.test;
/** GitHub runs one shell per step. `kept` are its artifacts, `when` says after which runs. */
export const GITHUB = {
  scripts: steps.flatMap(({ run }) => run ?? []),
  kept: steps.flatMap((step) => step.with?.path?.trim().split('\n') ?? []),
  when: steps.find((step) => step.with?.path)?.if,
};

interface Pipeline {
  readonly test: {
    readonly script: readonly string[];
    readonly artifacts: {
      readonly when: string;
      readonly paths: readonly string[];
      readonly reports: { readonly junit: string };
    };
  };
}
const { script, artifacts } = (parse(the('yaml', '.gitlab-ci.yml')) as Pipeline).test;
/** GitLab runs one shell for all lines. */
export const GITLAB = {
  scripts: [script.join('\n')],
  kept: [artifacts.reports.junit, ...artifacts.paths],
  when: artifacts.when,
};
