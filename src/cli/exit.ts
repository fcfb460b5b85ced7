/** The exit codes of commands (interface §1). */
export const EXIT = {
  done: 0,
  failure: 1,
  usage: 2,
  refused: 3,
  unreachable: 4,
  expectation: 5,
  interrupted: 130,
} as const;

/** Ends the command: the message is a sentence for stderr, the code is for the script. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
  readonly code: number;

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** No answer of the service came. `flag` is the one that named the server, such as `--against`. */
export class Unreachable extends CommandError {
  readonly flag: string | undefined;

  constructor(message: string, cause: unknown, flag: string | undefined) {
    super(EXIT.unreachable, message, { cause });
    this.flag = flag;
  }
}

export const usage = (message: string) => new CommandError(EXIT.usage, message);
export const failure = (message: string, cause?: unknown) => new CommandError(EXIT.failure, message, { cause });
export const unreachable = (message: string, cause?: unknown, flag?: string) => new Unreachable(message, cause, flag);
export const unmet = (message: string) => new CommandError(EXIT.expectation, message);
/** The person at the terminal said no. */
export const declined = () => new CommandError(EXIT.done, 'Nothing done.');
export const interrupted = (message: string) => new CommandError(EXIT.interrupted, message);

/** A refusal by the service. `body` is its answer, to the byte; `hint` adds what the answer cannot know. */
export class Refused extends CommandError {
  override readonly name = 'Refused';
  readonly status: number;
  readonly body: string;
  readonly hint: string | null;

  constructor(status: number, body: string, said: string, { code = EXIT.refused, hint }: RefusedOptions = {}) {
    super(code, [said, hint].filter(Boolean).join(' '));
    this.status = status;
    this.body = body;
    this.hint = hint ?? null;
  }
}

interface RefusedOptions {
  readonly code?: number;
  readonly hint?: string | undefined;
}

/** Whether the server was reached and refused, even if its answer is not that of the service. */
export const isRefusal = (error: unknown) => error instanceof CommandError && error.code === EXIT.refused;
