/** The machine, not the request, is in the way: a port, a directory, a file. The message says what to do next. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart';
}

/** What was handed over, such as a fixture, is in the way: a mistake of usage. */
export class BadInput extends CannotStart {
  readonly isUsage = true;
}
