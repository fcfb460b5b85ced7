import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import './certificates.ts';
import { compare, describe } from './compare.ts';
import type { Effort, Figure, Line } from './figure.ts';
import { FIGURES, PEERS } from './figures/index.ts';
import { abandon } from './leftovers.ts';
import { loadAverage, thisCommit, thisMachine } from './machine.ts';
import { fillIn, sectionsOf } from './markdown.ts';
import { measureAll } from './measure.ts';
import { type Options, optionsOf, usage } from './options.ts';
import { root } from './paths.ts';
import { loadGenerator } from './process.ts';
import { type Result, type Run, resultOf, type Unmeasured } from './result.ts';
import { jsonOf, storedRun, storeRun } from './stored.ts';
import { header, textOf } from './table.ts';

const FULL: Effort = {
  rounds: 6,
  startRounds: 12,
  lineLimitMs: 120_000,
  loadMs: 1000,
  // Nearly a million steps, which is the limit of a forecast.
  forecastContracts: 83_000,
  restMs: 60_000,
  manyObjects: 100_000,
  scale: [100, 10_000, 1_000_000],
};
const QUICK: Effort = {
  rounds: 2,
  startRounds: 3,
  lineLimitMs: 0,
  loadMs: 200,
  forecastContracts: 1_000,
  restMs: 100,
  manyObjects: 2_000,
  scale: [100, 1_000, 10_000],
};

const LIMIT_MS = 900_000;
const CLEAN_UP_MS = 20_000;

/** A failure is already reported with its figure. Promises of a figure that was given up may still reject later. */
process.on('unhandledRejection', () => undefined);

const { names, quick, json, markdown, peers, ...options } = readOptions();
const run = options.from === undefined ? await measure() : readRun(options.from);
if (json) console.log(jsonOf(run));
if (markdown) {
  const file = join(root, 'BENCHMARKS.md');
  writeFileSync(file, fillIn(readFileSync(file, 'utf8'), sectionsOf(run)));
  console.error('BENCHMARKS.md is written.');
}
const comparison = options.compare === undefined ? null : compare(readRun(options.compare), run);
if (comparison) (json ? console.error : console.log)(describe(comparison));
// Leftovers of a figure that was given up may keep the process alive.
process.exit(run.failures.length > 0 || (comparison?.slower.length ?? 0) > 0 ? 1 : 0);

function readOptions(): Options {
  const all = Object.keys({ ...FIGURES, ...PEERS });
  try {
    return optionsOf(process.argv.slice(2), all);
  } catch (error) {
    return refuse(`${(error as Error).message}\n\n${usage(all)}`);
  }
}

function readRun(file: string): Run {
  try {
    return storedRun(file);
  } catch (error) {
    return refuse((error as Error).message);
  }
}

function keep(run: Run) {
  if (options.output === undefined) return;
  try {
    storeRun(options.output, run);
  } catch (error) {
    refuse(`${options.output} cannot be written: ${(error as Error).message}`);
  }
}

function refuse(message: string): never {
  console.error(message);
  process.exit(2);
}

async function measure(): Promise<Run> {
  // Fail now, not after an hour of measuring, if the file cannot be read.
  if (options.compare !== undefined) readRun(options.compare);
  const startedAt = new Date().toISOString();
  const machine = thisMachine();
  const commit = thisCommit();
  const loadBefore = loadAverage();
  if (loadBefore > machine.cores / 4) {
    console.error(`The machine is not idle: its load average is ${loadBefore.toFixed(1)}.`);
  }
  const figures: Result[] = [];
  const failures: Unmeasured[] = [];
  const skipped: Unmeasured[] = [];
  const soFar = (): Run => ({
    startedAt,
    machine,
    loadAverage: [loadBefore, loadAverage()],
    node: process.version,
    commit,
    effort: quick ? 'quick' : 'full',
    figures,
    failures,
    skipped,
  });
  // Fail now, not after the first line, if the file cannot be written.
  keep(soFar());
  if (!json) console.log(header());
  const listener = {
    begun: (figure: string) => console.error(`measuring ${figure} …`),
    measured(figure: string, line: Line) {
      const result = resultOf(figure, line);
      figures.push(result);
      keep(soFar());
      (json ? console.error : console.log)(textOf(result));
    },
    failed(unmeasured: Unmeasured) {
      failures.push(unmeasured);
      keep(soFar());
      console.error(`${unmeasured.figure} failed: ${unmeasured.reason}`);
    },
    skipped(unmeasured: Unmeasured) {
      skipped.push(unmeasured);
      keep(soFar());
      console.error(`${unmeasured.figure} cannot be measured here: ${unmeasured.reason}`);
    },
  };
  const patience = { limitMs: options.limitMs ?? LIMIT_MS, cleanUpMs: CLEAN_UP_MS, abandon };
  await measureAll(wantedFigures(), listener, patience);
  if (failures.length > 0) console.error(`Failed: ${failures.map(({ figure }) => figure).join(', ')}.`);
  return soFar();
}

/** The named figures, or all of them; peers only on request. */
function wantedFigures(): Record<string, () => AsyncIterable<Line>> {
  const offered = Object.entries({ ...FIGURES, ...PEERS });
  const wanted = offered.filter(([name]) =>
    name in PEERS ? peers || names.includes(name) : names.length === 0 || names.includes(name),
  );
  return Object.fromEntries(wanted.map(([name, figure]) => [name, () => withLoad(figure)]));
}

async function* withLoad(figure: Figure): AsyncGenerator<Line> {
  await using load = loadGenerator();
  yield* figure({ effort: quick ? QUICK : FULL, load });
}
