/** The machine, not the request, is in the way: a port, a directory, a file. The message says what to do next. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart';
}
