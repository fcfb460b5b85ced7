import type { Command } from 'commander';
import { describe, type Notes } from './describe.ts';
import { EXIT } from './exit.ts';
import type { AddressFlags } from './server/address.ts';
import { type Answer, type Client, createClient } from './server/client.ts';
import { createOutput, type Output } from './terminal/output.ts';
import { leaving } from './terminal/pipes.ts';
import { hideProgress, leaveEcho } from './terminal/progress.ts';

/** What a command works with. */
export interface Cli {
  readonly client: Client;
  readonly out: Output;
  readonly flags: GlobalFlags;
  /** Prints the answer unchanged with `--json`, otherwise calls `human`. */
  show<Data>(answer: Answer<Data>, human: (data: Data) => void | Promise<void>): Promise<void>;
}

/** The same for a command that ends by itself. */
export interface OneShot extends Cli {
  /** A signal ends the command after this work; a second signal does not wait for it. */
  beforeSignal(work: () => Promise<unknown>): void;
}

export interface GlobalFlags extends AddressFlags {
  readonly json?: boolean;
  readonly debug?: boolean;
}

/**
 * Adds a verb to a noun. `usage` is shown unchanged. To commander every argument is optional, because the verb itself
 * asks for a missing `<id>` on a terminal.
 */
export function verb(noun: Command, usage: string, summary: string, example: string, notes?: Notes): Command {
  const [name = '', ...args] = usage.split(' ');
  const command = describe(noun.command(name), summary, example, notes);
  for (const arg of args) command.argument(arg.replace('<', '[').replace('>', ']'));
  return command.usage([...args, '[options]'].join(' '));
}

/** Wraps the work of a command as commander calls it: the declared arguments, the options, the command. */
export const run =
  <Args extends unknown[]>(work: (cli: OneShot, ...args: Args) => Promise<void>) =>
  async (...given: unknown[]) => {
    const command = given.pop() as Command;
    const flags: GlobalFlags = command.optsWithGlobals();
    const signals = watchSignals();
    const cli = { ...(await createCli(flags)), ...signals };
    await explained(cli, work, given as Args);
  };

async function explained<C extends Cli, Args extends unknown[]>(
  cli: C,
  work: (cli: C, ...args: Args) => Promise<void>,
  args: Args,
) {
  try {
    await work(cli, ...args);
  } catch (error) {
    throw await cli.client.explain(error);
  }
}

/** The signals that ask the program to end, that of a closed terminal included. */
export const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** How soon after a signal npm passes it on: a Ctrl-C has then reached this program already. */
const ECHO_MS = 500;

/** Calls `end` for every signal that asks the program to end, but not for what npm passes on. */
export function onSignals(end: () => void) {
  let echo: NodeJS.Signals | null = null;
  const heard = (signal: NodeJS.Signals) => {
    if (signal === echo) return;
    if (signal === 'SIGINT') leaveEcho();
    echo = signal;
    setTimeout(() => {
      echo = null;
    }, ECHO_MS);
    end();
  };
  for (const signal of ENDING) process.on(signal, heard);
}

function watchSignals(): Pick<OneShot, 'beforeSignal'> {
  let last: (() => Promise<unknown>) | null = null;
  const end = () => {
    hideProgress();
    process.exit(EXIT.interrupted);
  };
  onSignals(() => {
    if (last === null) return end();
    last().finally(end);
    last = null;
  });
  return {
    beforeSignal(work) {
      last = work;
    },
  };
}

/** The same for commands that run until they are stopped and handle signals themselves. */
export const runUntilStopped =
  <Args extends unknown[]>(work: (cli: Cli, ...args: Args) => Promise<void>) =>
  async (...given: unknown[]) => {
    leaving.atOnce = false;
    const command = given.pop() as Command;
    await explained(await createCli(command.optsWithGlobals()), work, given as Args);
  };

async function createCli(flags: GlobalFlags): Promise<Cli> {
  const out = await createOutput(flags.json ?? false);
  return {
    client: createClient(flags, flags.debug ? out.note : () => undefined, out.note),
    out,
    flags,
    async show(answer, human) {
      if (out.json) out.document(answer.text);
      else await human(answer.body.data);
    },
  };
}
