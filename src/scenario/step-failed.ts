import type { Unplaced } from './match.ts';

/** A step that cannot continue; the scenario fails with this message. */
export class StepFailed extends Error {
  /** Their paths begin in the step. */
  readonly differences: readonly Unplaced[];

  constructor(message: string, differences: readonly Unplaced[] = []) {
    super(message);
    this.differences = differences;
  }
}
