import type { Mistake } from '../yaml.ts';

/** A scenario that cannot be played. The message has a line for each mistake. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
  readonly mistakes: readonly Mistake[];
  /** The place of the first mistake; line and column are null when it concerns the file as a whole. */
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;

  constructor(message: string, mistakes: readonly [Mistake, ...Mistake[]]) {
    super(message);
    this.mistakes = mistakes;
    const [{ file, line, column }] = mistakes;
    this.file = file;
    this.line = line;
    this.column = column;
  }
}
