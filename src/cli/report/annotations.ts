import { relative, resolve } from 'node:path';
import { neutral } from '../../scenario/neutral.ts';
import type { ScenarioResult } from '../../scenario/play.ts';
import { differenceLines } from './diff.ts';
import { problemLines, titleLine } from './spec.ts';

/** A workflow command for each failed step, with which GitHub Actions shows it beside its line. `root` is the checkout. */
export const annotationsOf = (results: readonly ScenarioResult[], root: string): string[] =>
  results.map(neutral).flatMap(({ file, name, steps }) =>
    steps
      .filter(({ status }) => status === 'failed')
      .map((step) => {
        const { line, column } = step.differences[0] ?? step;
        const text = [...problemLines(step, file), ...step.differences.flatMap((each) => differenceLines(each, file))];
        const place = { file: relative(root, resolve(file)).replaceAll('\\', '/'), line, col: column };
        const properties = Object.entries({ ...place, title: `${name}: ${titleLine(step)}` });
        return `::error ${properties.map(([key, value]) => `${key}=${property(String(value))}`).join(',')}::${data(text.join('\n'))}`;
      }),
  );

const data = (text: string) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
