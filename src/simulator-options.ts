import { isIP } from 'node:net';
import { BadInput } from './domain/cannot-start.ts';
import { type ChaosOptions, chaosOf } from './domain/chaos.ts';
import { HOST_NAME } from './domain/host.ts';
import { isRecord } from './domain/json.ts';
import { isPromise } from './domain/promise.ts';
import { createFaultPrinter } from './fault.ts';
import {
  CALLBACK,
  FLAG,
  type Form,
  isContent,
  isText,
  MAP,
  SEED,
  TEXT,
  TEXTS,
  TRACE,
  withFunctions,
  wrongOption,
} from './options.ts';
import type { SimulatorOptions } from './simulator-types.ts';
import type { SmtpAddress } from './webhook/relay.ts';

const isFilled = (value: unknown) => isText(value) && value !== '';
const isWhole = (value: unknown, max = Number.MAX_SAFE_INTEGER) =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= max;
const isHost = (value: unknown) => isText(value) && (isIP(value) > 0 || HOST_NAME.test(value));

const OPTIONS: Readonly<Record<keyof SimulatorOptions, Form>> = {
  data: { what: 'a path', is: isFilled },
  host: TEXT,
  port: { what: 'a whole number from 0 to 65535', is: (value) => isWhole(value, 65_535) },
  publicUrl: TEXT,
  allowHosts: TEXTS,
  seed: SEED,
  clock: MAP,
  rateLimit: { what: 'a whole number of at least 0, or off', is: (value) => value === 'off' || isWhole(value) },
  requestLog: FLAG,
  allowHttpLocalhost: FLAG,
  chaos: MAP,
  onNote: CALLBACK,
  requestTimeoutSeconds: { what: 'a number above 0', is: (value) => Number.isFinite(value) && (value as number) > 0 },
  forwardTo: TEXTS,
  insecure: FLAG,
  fixture: { what: 'a path or an object', is: (value) => isFilled(value) || isContent(value) },
  smtp: MAP,
  flags: TEXTS,
  trace: TRACE,
  onRequest: CALLBACK,
  onDelivery: CALLBACK,
  onClock: CALLBACK,
  onFault: CALLBACK,
  time: withFunctions('an object with the functions now and after', 'now', 'after'),
};
const CLOCK: Readonly<Record<string, Form>> = { frozenAt: TEXT, runningFrom: TEXT };
const CHAOS: Readonly<Record<keyof ChaosOptions, Form>> = {
  seed: {
    what: 'a number, or a string with at least one character',
    is: (value) => isFilled(value) || Number.isFinite(value),
  },
  percent: { what: 'a number', is: Number.isFinite },
};
const SMTP: Readonly<Record<keyof SmtpAddress, Form>> = {
  host: { what: 'a host name or an IP address', is: isHost },
  port: { what: 'a whole number from 1 to 65535', is: (value) => isWhole(value, 65_535) && value !== 0 },
};

/** What a callback throws or rejects with is a fault: it neither changes a response nor holds up what it was told about. */
function guarded<Line>(callback: ((line: Line) => unknown) | undefined, onFault: (error: unknown) => void) {
  return (line: Line): void => {
    try {
      const answer = callback?.(line);
      if (isPromise(answer)) answer.catch(onFault);
    } catch (error) {
      onFault(error);
    }
  };
}

/**
 * The options with somebody to tell, where nobody asked to be told. A state that comes from a trace keeps its flags.
 * @throws BadInput for an unknown or wrong one
 */
export function completed(options: SimulatorOptions) {
  refuseWrong(options);
  const { onFault = createFaultPrinter(), onRequest, onNote, onDelivery, onClock, trace, flags = [], chaos } = options;
  return {
    ...{ ...options, onFault, onRequest: guarded(onRequest, onFault), onNote: guarded(onNote, onFault) },
    ...(onDelivery && { onDelivery: guarded(onDelivery, onFault) }),
    ...(onClock && { onClock: guarded(onClock, onFault) }),
    flags: trace?.flags ?? flags,
    chaos: chaos ? chaosOf(chaos) : null,
  };
}

function refuseWrong(options: unknown): void {
  check(options, OPTIONS, 'createSimulator');
  const { clock, chaos, smtp } = options;
  if (isRecord(clock)) {
    check(clock, CLOCK, 'clock');
    if ((clock.frozenAt === undefined) === (clock.runningFrom === undefined)) {
      throw new BadInput('The option clock needs either frozenAt or runningFrom.');
    }
  }
  if (isRecord(chaos)) {
    check(chaos, CHAOS, 'chaos');
    if (chaos.seed === undefined) throw new BadInput('The option chaos needs a seed.');
  }
  if (isRecord(smtp)) {
    check(smtp, SMTP, 'smtp');
    if (smtp.host === undefined || smtp.port === undefined) {
      throw new BadInput('The option smtp needs a host and a port.');
    }
  }
}

function check(
  given: unknown,
  forms: Readonly<Record<string, Form>>,
  of: string,
): asserts given is Readonly<Record<string, unknown>> {
  const wrong = wrongOption(given, forms, of);
  if (wrong !== null) throw new BadInput(wrong);
}
