import { given } from '../domain/given.ts';
import type { Path, Place } from '../yaml.ts';
import type { ReadScenario } from './file.ts';
import type { Difference, Unplaced } from './match.ts';
import { type Step, verbOf } from './schema.ts';
import type { Struck } from './stage.ts';

/** How a step went. */
export interface StepResult {
  /** The verb and its distinguishing input, as in the file. */
  readonly does: string;
  readonly name?: string;
  readonly as?: string;
  /** Where the step is in the file; with a `problem`, the part of the step that caused it. */
  readonly line: number;
  readonly column: number;
  readonly status: 'passed' | 'failed' | 'skipped';
  /** Types of the events since the step began. */
  readonly events: readonly string[];
  /** The faults that struck; absent when none did. */
  readonly faults?: readonly Struck[];
  /** Why the step failed, unless an expectation did. */
  readonly problem?: string;
  readonly differences: readonly Difference[];
}

export interface ScenarioResult {
  readonly file: string;
  readonly name: string;
  readonly status: 'passed' | 'failed';
  readonly steps: readonly StepResult[];
  /** Addresses and instants that differ from run to run, and what a report shows in their place. */
  readonly changing: readonly Changing[];
}
export type Changing = readonly [text: string, shown: string];

/** A scenario that was not played, because the one before it was stopped. */
export interface Unplayed extends Omit<ScenarioResult, 'status'> {
  readonly status: 'skipped';
}

export const unplayed = ({ file, scenario: { name, steps }, placeOf }: ReadScenario): Unplayed => ({
  file,
  name,
  status: 'skipped',
  steps: steps.map((step, index) => skipped(step, (path, atKey) => placeOf(['steps', index, ...path], atKey))),
  changing: [],
});

/** The place of something in a step. */
export type Where = (path: Path, atKey?: boolean) => Place;

export function titleOf(step: Step, where: Where) {
  const { line, column } = where([]);
  return {
    does: [verbOf(step), ...detailOf(step)].join(' '),
    ...given({ name: step.name, as: step.as }),
    line,
    column,
  };
}

function detailOf({ advance, fault, request, settings, wait }: Step): string[] {
  if (fault) return [fault.kind];
  if (request) return [request.method, request.path];
  if (settings) return [Object.keys(settings).join(', ')];
  if (wait) return [`for ${wait.event ?? (wait.email ? 'an email' : 'a delivery')}`];
  return Object.entries(advance ?? {}).map(([how, where]) => (how === 'next' ? 'to what is next' : `${how} ${where}`));
}

export const withStruck = (result: StepResult, faults: readonly Struck[]): StepResult =>
  faults.length === 0 ? result : { ...result, faults };

export const skipped = (step: Step, where: Where): StepResult => ({
  ...titleOf(step, where),
  status: 'skipped',
  events: [],
  differences: [],
});

export const interrupted = (step: Step, where: Where): StepResult => ({
  ...skipped(step, where),
  status: 'failed',
  problem: 'A signal interrupted the scenario here.',
});

/** Points at the key, because a list begins on a later line. */
export function placed({ at, path, expected, actual }: Unplaced, where: Where): Difference {
  const { line, column } = where(path, true);
  return { at, line, column, expected, actual };
}
