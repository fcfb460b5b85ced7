import type { Bench, Effort, Line } from './figure.ts';
import { FIGURES } from './figures/index.ts';
import { loadGenerator } from './process.ts';
import { table } from './table.ts';

const FULL: Effort = { repetitions: 9, loadMs: 1000, startRepetitions: 15 };
const QUICK: Effort = { repetitions: 3, loadMs: 300, startRepetitions: 5 };

const args = process.argv.slice(2);
const wanted = args.filter((arg) => !arg.startsWith('-'));
const names = Object.keys(FIGURES);
const unknown = [
  ...wanted.filter((name) => !names.includes(name)),
  ...args.filter((arg) => arg.startsWith('-') && arg !== '--quick'),
];
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(' ')}. Usage: npm run bench -- [--quick] [${names.join('|')}]...`);
  process.exit(2);
}

const bench: Bench = { effort: args.includes('--quick') ? QUICK : FULL, load: loadGenerator() };
const lines: Line[] = [];
try {
  for (const [name, figure] of Object.entries(FIGURES)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    console.error(`measuring ${name} …`);
    lines.push(...(await figure(bench)));
  }
} finally {
  await bench.load.stop();
}
console.log(table(lines));
