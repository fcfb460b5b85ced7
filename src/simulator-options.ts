import { BadInput } from './domain/cannot-start.ts';
import { printFault } from './fault.ts';
import { suggestion } from './nearest.ts';
import type { SimulatorOptions } from './simulator-types.ts';

const NAMES: Readonly<Record<keyof SimulatorOptions, true>> = {
  data: true,
  host: true,
  port: true,
  publicUrl: true,
  allowHosts: true,
  seed: true,
  clock: true,
  rateLimit: true,
  requestLog: true,
  allowHttpLocalhost: true,
  chaos: true,
  onNote: true,
  requestTimeoutSeconds: true,
  forwardTo: true,
  fixture: true,
  smtp: true,
  flags: true,
  trace: true,
  onRequest: true,
  onDelivery: true,
  onClock: true,
  onFault: true,
  time: true,
};
const CLOCK_NAMES = ['frozenAt', 'runningFrom'];

const ignore = () => undefined;

/**
 * The options with somebody to tell, where nobody asked to be told. A state that comes from a trace keeps its flags.
 * @throws BadInput for an unknown one
 */
export function completed(options: SimulatorOptions) {
  refuseUnknown(options);
  const { onFault = printFault, onRequest = ignore, onNote = ignore, trace, flags = [] } = options;
  return { ...options, onFault, onRequest, onNote, flags: trace?.flags ?? flags };
}

/** A mistyped option would have no effect, and a test would pass wrongly. */
function refuseUnknown(options: object): void {
  const refuse = (given: object, names: readonly string[], of: string) => {
    for (const name of Object.keys(given)) {
      if (!names.includes(name)) throw new BadInput(`Unknown ${of} "${name}". ${suggestion(name, names)}`);
    }
  };
  refuse(options, Object.keys(NAMES), 'option of createSimulator');
  const { clock } = options as { readonly clock?: unknown };
  if (typeof clock === 'object' && clock !== null) refuse(clock, CLOCK_NAMES, 'option of clock');
}
