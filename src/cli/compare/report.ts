import { shortened } from '../../domain/text.ts';
import { type JunitCase, junitXml } from '../report/junit-xml.ts';
import { type Paint, PLAIN } from '../terminal/output.ts';
import { printable, printableJson } from '../terminal/printable.ts';
import { type Comparison, type Difference, SETTING } from './compare.ts';

/** `{probes, differences}` (interface §12). */
export function jsonOf({ compared }: Comparison): string {
  const differences = compared.flatMap(({ differences }) => differences.map(({ values: _, ...told }) => told));
  return `${printableJson(JSON.stringify({ probes: compared.length, differences }))}\n`;
}

/** The report for people, as it is written to a file. */
export const specOf = (comparison: Comparison): string =>
  `${linesOf(comparison, PLAIN).map(printable).join('\n').trimEnd()}\n`;

/**
 * Each difference once, with the number of other requests that show the same. `address` is added to each command, which
 * then reaches this server.
 */
export function linesOf({ compared }: Comparison, paint: Paint, address = ''): string[] {
  const alike = new Map<string, Difference[]>();
  for (const difference of compared.flatMap(({ differences }) => differences)) {
    const known = alike.get(factOf(difference));
    if (known) known.push(difference);
    else alike.set(factOf(difference), [difference]);
  }
  const lines = [...alike.values()].flatMap(([first, ...others]) =>
    first ? blockOf(first, others.length, paint, address) : [],
  );
  const { length } = compared;
  return alike.size > 0 ? lines : [paint.green(`${length} requests, no difference.`)];
}

/** Groups a header or a term that differs in many answers. */
const factOf = ({ at, values, request }: Difference) =>
  at.startsWith('headers.') || at.startsWith('body.data.')
    ? JSON.stringify([at, values])
    : JSON.stringify([request, at]);

function blockOf(difference: Difference, others: number, paint: Paint, address: string) {
  const { request, at, values, decision } = difference;
  const [here, there] = values;
  const assumption = difference.assumption?.replaceAll(SETTING, (command) => `${command}${address}`);
  const also = others === 0 ? '' : ` and ${others} more`;
  return [
    `${paint.bold(`${request.method} ${request.path}`)} ${paint.dim(`(${request.title}${also})`)}`,
    `  ${at}`,
    `    here   ${paint.green(shown(here))}`,
    `    there  ${paint.red(shown(there))}`,
    `  ${decision}`,
    ...(assumption === undefined ? [] : [`  To get the same response here: ${paint.bold(assumption)}`]),
    '',
  ];
}

const SHOWN_MAX = 200;

const shown = (value: unknown) => shortened(JSON.stringify(value) ?? 'absent', SHOWN_MAX);

/** A case for each request; those left out are skipped. */
export function junitOf({ compared, skipped }: Comparison): string {
  const classname = 'layaway compare';
  const cases = compared.map(({ probe, differences }): JunitCase => {
    const name = `${probe.method} ${probe.path} (${probe.title})`;
    if (differences.length === 0) return { name, classname };
    const lines = differences.map(
      ({ at, values: [here, there], decision, assumption }) =>
        `${at}: here ${shown(here)}, there ${shown(there)} (${decision})${assumption === null ? '' : ` ${assumption}`}`,
    );
    const message = differences.map(({ at }) => at).join(', ');
    return { name, classname, failure: { message, text: lines.join('\n') } };
  });
  const leftOut = skipped.map(({ title }): JunitCase => ({ name: title, classname, skipped: true }));
  return junitXml('layaway compare', [{ name: 'layaway compare', cases: [...cases, ...leftOut] }]);
}
