/** Something on the machine prevents the start: a port, a directory, a file. The message says what to do next. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart';
}

/** An input such as a fixture prevents the start: a usage error. */
export class BadInput extends CannotStart {
  readonly isUsage = true;
}
