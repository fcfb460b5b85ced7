import { median } from './numbers.ts';
import type { Result, Run } from './result.ts';
import { cellsOf, HEADER, short } from './table.ts';

/** The tables of BENCHMARKS.md by the name in their markers; null if the run did not measure them. */
export function sectionsOf(run: Run): Readonly<Record<string, string | null>> {
  const plain = run.figures.filter(({ figure }) => figure !== 'peers' && figure !== 'scale');
  const peers = run.figures.filter(({ figure }) => figure === 'peers');
  const scale = run.figures.filter(({ cell }) => cell);
  const unmeasured = [...run.failures, ...run.skipped].map(
    ({ figure, reason }) => `- \`${figure}\` was not measured: ${reason.split('\n', 1)[0]}`,
  );
  const below = (table: string) => [origin(run), table].join('\n\n');
  return {
    figures: plain.length > 0 ? [below(resultTable(plain)), ...unmeasured].join('\n\n') : null,
    peers: peers.length > 0 ? below(resultTable(peers)) : null,
    scale: scale.length > 0 ? below(scaleTable(scale)) : null,
  };
}

/** Replaces the text between `<!-- name -->` and `<!-- /name -->`. */
export function fillIn(document: string, sections: Readonly<Record<string, string | null>>): string {
  let filled = document;
  for (const [name, text] of Object.entries(sections)) {
    const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const [from, to] = [filled.indexOf(start), filled.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`The document has no ${start} before a ${end}.`);
    if (text !== null) filled = `${filled.slice(0, from + start.length)}\n\n${text}\n\n${filled.slice(to)}`;
  }
  return filled;
}

function origin({ startedAt, machine, node, commit, loadAverage, effort }: Run): string {
  const { cpu, cores, memoryGb, system } = machine;
  const [before, after] = loadAverage.map((load) => load.toFixed(1));
  return [
    `${startedAt.slice(0, 10)}, commit ${commit}, Node ${node}, ${cpu}, ${cores} cores, ${memoryGb} GB, ${system}.`,
    `Load average ${before} before the run, ${after} after it.`,
    ...(effort === 'quick' ? ['**A quick run: its figures are worth nothing.**'] : []),
  ].join('\n');
}

const resultTable = (results: readonly Result[]) => rows(HEADER, results.map(cellsOf));

/** Milliseconds of each row at each number of contracts. The others are compared with the smallest number. */
function scaleTable(results: readonly Result[]): string {
  const columns = [...new Set(results.map(({ cell }) => cell?.contracts as number))].sort((a, b) => a - b);
  const names = [...new Set(results.map(({ cell }) => cell?.row as string))];
  const at = (row: string, contracts: number) =>
    results.find(({ cell }) => cell?.row === row && cell.contracts === contracts);
  return rows(
    ['', ...columns.map((contracts) => contracts.toLocaleString('en'))],
    names.map((name) => [
      name,
      ...columns.map((contracts) => {
        const result = at(name, contracts);
        return result ? `${short(median(result.ours))} ms${result.reached === false ? ' (missed)' : ''}` : '-';
      }),
    ]),
  );
}

const rows = (head: readonly string[], body: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
