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

/** An input such as a fixture prevents the start: a usage error. */
export class BadInput extends CannotStart {
  readonly isUsage = true;
}

/** A trace that layaway did not save like this. */
export class DamagedTrace extends BadInput {
  constructor(file = 'The trace', options?: ErrorOptions) {
    super(`${file} is damaged or is not a trace. Save it again with \`layaway trace save\`.`, options);
  }
}
