import { existsSync, realpathSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { neutral } from '../../scenario/neutral.ts';
import type { ScenarioResult } from '../../scenario/result.ts';
import type { Mistake } from '../../yaml.ts';
import { failureLines, titleLine } from './spec.ts';

/** A workflow command for each failed step, with which GitHub Actions shows it beside its line. */
export const annotationsOf = (results: readonly ScenarioResult[]): string[] =>
  results.map(neutral).flatMap(({ file, name, steps }) =>
    steps
      .filter(({ status }) => status === 'failed')
      .map((step) => {
        const place = { file, ...(step.differences[0] ?? step), title: `${name}: ${titleLine(step)}` };
        return annotation(place, failureLines(step, file).join('\n'));
      }),
  );

/** The same for each mistake in the files. */
export const mistakeAnnotations = (mistakes: readonly Mistake[]): string[] =>
  mistakes.map((mistake) => annotation({ ...mistake, title: 'The scenario is not valid' }, mistake.message));

type Marked = Omit<Mistake, 'message'> & { readonly title: string };

/** Its file is named from the checkout, as GitHub knows it. */
function annotation({ file, line, column, title }: Marked, text: string): string {
  const place = { file: fromCheckout(resolve(file)).replaceAll('\\', '/'), line, col: column, title };
  const properties = Object.entries(place).filter(([, value]) => value !== null);
  return `::error ${properties.map(([key, value]) => `${key}=${property(String(value))}`).join(',')}::${data(text)}`;
}

function fromCheckout(file: string): string {
  const root = process.env.GITHUB_WORKSPACE ?? process.cwd();
  const path = relative(root, file);
  // A process knows its own folder without the links that may lead to the checkout.
  return path.startsWith('..') && existsSync(root) ? relative(realpathSync(root), file) : path;
}

const data = (text: string) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
