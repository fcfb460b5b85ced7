/** Something on the machine prevents the start: a port, a directory, a file. The message says what to do next. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart';
}

export class PortInUse extends CannotStart {
  readonly port: number;
  readonly host: string;

  constructor(port: number, host: string) {
    super(
      `Port ${port} on ${host} is in use by another program. Stop that program, or choose another port; 0 picks a free one.`,
    );
    this.port = port;
    this.host = host;
  }
}

/** The state directory prevents the start; another one may not. The command line names the flags of what to do instead. */
export class UnusableDirectory extends CannotStart {
  readonly why: string;
  /** What would make this directory usable; null when nothing is known that would. */
  readonly remedy: string | null;

  constructor(why: string, remedy: string | null) {
    const instead =
      remedy === null
        ? 'Choose another, or leave out the option data to keep the state in memory.'
        : `${remedy}, or choose another directory.`;
    super(`${why} ${instead}`);
    this.why = why;
    this.remedy = remedy;
  }
}

/** An input such as a fixture prevents the start: a usage error. */
export class BadInput extends CannotStart {
  readonly isUsage = true;
}

/** A trace that layaway did not save like this. */
export class DamagedTrace extends BadInput {
  /** What is wrong with it, and where; null when it may not be a trace at all. */
  readonly why: string | null;

  constructor(file = 'The trace', why: string | null = null, options?: ErrorOptions) {
    const what = why === null ? 'is damaged or is not a trace' : `is damaged: ${why}`;
    super(`${file} ${what}. Save it again with \`layaway trace save\`.`, options);
    this.why = why;
  }
}
