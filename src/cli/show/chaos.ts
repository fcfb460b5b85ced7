import { CHAOS_ID } from '../../domain/chaos.ts';
import type { SimulatorOptions } from '../../index.ts';

type Watchers = Required<Pick<SimulatorOptions, 'onRequest' | 'onDelivery'>>;

/** Reports each request and each delivery attempt that chaos struck (interface §7). */
export function watchChaos(tell: (line: string) => void): Watchers {
  return {
    onRequest({ fault, method, path }) {
      if (fault?.id === CHAOS_ID) tell(`chaos: ${fault.kind} struck ${method} ${path}`);
    },
    onDelivery({ fault, type, subject, attempt }) {
      if (fault?.id === CHAOS_ID) tell(`chaos: ${fault.kind} struck ${type} ${subject}, attempt ${attempt}`);
    },
  };
}
