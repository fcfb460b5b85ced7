import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { formatInstant } from '../../domain/calendar.ts';
import type { ChaosOptions } from '../../domain/chaos.ts';
import { given } from '../../domain/given.ts';
import type { Simulator, SimulatorOptions } from '../../index.ts';
import { formed, hostName, instant, notEmpty, origin, receiverUrl, repeated, wholeNumber } from './arguments.ts';

/** The flags of a server. */
export interface ServerFlags {
  readonly port: number;
  readonly host?: string;
  readonly publicUrl?: string;
  readonly allowHost?: string[];
  readonly allowHttpLocalhost?: true;
  /** Absent: in memory. */
  readonly data?: string;
  readonly memory?: true;
  readonly clock: 'running' | 'frozen';
  /** `--clock` was given. */
  readonly asksForClock?: true;
  readonly now?: string;
  readonly seed?: number;
  readonly rateLimit?: number | 'off';
  readonly fixture?: string;
  readonly forwardTo?: string[];
  readonly insecure?: true;
  readonly chaos?: ChaosOptions;
  readonly requestLog?: boolean;
  readonly smtp?: { readonly host: string; readonly port: number };
}

export const serverOptions = (command: Command, { port, data }: { port: number; data?: string }): Command =>
  command
    .option('-p, --port <n>', 'port to listen on; 0 picks a free one', wholeNumber(0, 65_535), port)
    .option('--host <address>', 'the address to listen on (default: 127.0.0.1 and ::1)', address)
    .option('--public-url <url>', 'URL under which clients reach the server, behind a proxy or a mapped port', origin)
    .option('--allow-host <name>', 'accept this host name too, or any with *; repeatable', repeated(hostName))
    .option('--allow-http-localhost', 'accept return and cancel URLs on http://localhost')
    .addOption(new Option('--data <directory>', 'directory for the state').argParser(notEmpty).default(data))
    .addOption(new Option('--memory', 'keep the state in memory only').conflicts('data'))
    .addOption(
      new Option('--clock <mode>', 'whether account time passes')
        .choices(['running', 'frozen'])
        .default('running')
        // Implied by the flag, not by its default.
        .implies({ asksForClock: true }),
    )
    .option('--now <instant>', 'start time of the clocks (default: now)', instant)
    .option('--seed <n>', 'make every id, token, reference and key reproducible', wholeNumber(0))
    .option('--fixture <file>', 'initial data of a new state (YAML or JSON)', notEmpty)
    .option(
      '-f, --forward-to <url>',
      'send events of the sandbox account to this URL; repeatable',
      repeated(receiverUrl),
    )
    .option('--insecure', 'accept any certificate of an https receiver of --forward-to')
    .addOption(new Option('--skip-verify', 'the same as --insecure').implies({ insecure: true }).hideHelp())
    .option('--rate-limit <n|off>', 'requests per minute, per source and per key; or off', rateLimit)
    .option('--chaos <seed>[:<percent>]', CHAOS, chaos)
    .option('--no-request-log', 'do not log the requests to /v1')
    .option('--smtp <host:port>', 'relay emails to this SMTP server, such as Mailpit', smtp);

export const CHAOS = 'make faults strike at random; the same seed gives the same faults; percent defaults to 10';

/** `--chaos 7` or `--chaos 7:25` */
export function chaos(text: string): ChaosOptions {
  const [, seed, percent] = /^([^:\s]+)(?::(\d{1,3}))?$/.exec(text) ?? [];
  if (seed === undefined || (percent !== undefined && !(Number(percent) >= 1 && Number(percent) <= 100))) {
    throw new InvalidArgumentError('It must be a seed, or a seed and a percentage from 1 to 100, like 7 or 7:25.');
  }
  return { seed, ...(percent === undefined ? {} : { percent: Number(percent) }) };
}

function smtp(text: string): { host: string; port: number } {
  const [, bracketed, plain, port] = /^(?:\[([\da-f:]+)\]|([\w.-]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) {
    throw new InvalidArgumentError('It must be a host and a port, like localhost:1025.');
  }
  return { host, port: Number(port) };
}

const address = formed(
  (text) => text.trim() !== '',
  'It must be an address of this machine, such as 127.0.0.1 or 0.0.0.0.',
);

function rateLimit(text: string): number | 'off' {
  if (text === 'off') return text;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number of requests per minute, or off.');
}

/** Turns flags into options. Without `--now`, the clocks begin at real time. */
export function simulatorOptions(flags: ServerFlags, realNow: () => number): SimulatorOptions {
  const { port, host, publicUrl, allowHost: allowHosts, allowHttpLocalhost, clock: mode } = flags;
  const { seed, rateLimit, fixture, forwardTo, insecure, chaos, smtp } = flags;
  const begin = flags.now ?? (mode === 'frozen' ? formatInstant(realNow()) : undefined);
  const clock = begin === undefined ? undefined : mode === 'frozen' ? { frozenAt: begin } : { runningFrom: begin };
  const data = flags.memory || flags.data === undefined ? undefined : resolve(flags.data);
  const requestLog = flags.requestLog === false ? false : undefined;
  return {
    port,
    ...given({ host, publicUrl, allowHosts, allowHttpLocalhost, data, clock }),
    ...given({ seed, rateLimit, fixture, forwardTo, insecure, chaos, requestLog, smtp }),
  };
}

/** What a person should read about the start. A stored clock ignores `--clock`, so the command that changes it is named. */
export function startNotes({ notes, startClock }: Simulator, { clock, asksForClock }: ServerFlags): readonly string[] {
  if (!asksForClock || startClock.mode === clock) return notes;
  const how =
    clock === 'running'
      ? 'The stored clock stays frozen. To let it run, run `layaway clock resume`.'
      : 'The stored clock keeps running. To stop it, run `layaway clock freeze`.';
  return [...notes, how];
}
