import { concerning, mayComeLater, narrowing, unmetFilter } from '../../domain/event.ts';
import * as operations from '../../operations/events.ts';
import { FILTER, refuseWrong } from '../../options.ts';
import { asker, type Connection, dataOf } from '../client.ts';
import { LayawayError } from '../refused.ts';
import { finder, type Replacements } from '../since.ts';
import { follow, type TailOptions } from '../tail.ts';
import { first, PATIENCE, type Patience, type Waiting } from '../wait.ts';
import type { EventType, LayawayEvent, ListOptions } from '../wire.ts';

export function eventLevers(connection: Connection, waiting: Waiting, replacements: Replacements) {
  const ask = asker(connection);
  const listEvents = (
    query: ListOptions & { readonly type?: EventType; readonly contract?: string; readonly session?: string } = {},
  ): Promise<readonly LayawayEvent[]> => ask(operations.listEvents, { query }).then(dataOf);
  return {
    list: listEvents,
    get: (id: string) => ask(operations.getEvent, { params: { id } }).then(dataOf),
    resend: (id: string, to: { readonly endpoint_id?: string; readonly url?: string } = {}) =>
      ask(operations.resendEvent, { params: { id }, body: to }).then(dataOf),
    /** Events as they happen: `for await (const event of await shop.events.tail()) …`. */
    tail: (options: TailOptions = {}) => follow(waiting, listEvents, options, replacements),
    /**
     * The latest event of that type, or the next one when there is none yet; with `after`, the first one since.
     * @throws Error when none comes within `timeoutMs`
     * @throws TypeError at once when no event of the type can be of that contract or session
     * @throws LayawayError (422) at once for a type that no event has
     */
    wait: async <Type extends EventType>(
      type: Type,
      options: Patience & { after?: string; contract?: string; session?: string } = {},
    ) => {
      if (!FILTER.is(type)) throw new TypeError('events.wait needs the type of an event, such as session.completed.');
      refuseWrong(options, { ...PATIENCE, after: FILTER, contract: FILTER, session: FILTER }, 'events.wait');
      const { timeoutMs, after, contract, session } = options;
      const wanted = { type, contract, session };
      const unmet = unmetFilter(wanted);
      if (unmet) throw new TypeError(`events.wait: ${type} events have no ${unmet.filter}. Leave out ${unmet.filter}.`);
      const listWanted = (cursor: ListOptions) =>
        listEvents({ type, ...narrowing(wanted), ...cursor }).catch((error: unknown) => {
          if (error instanceof LayawayError && error.status === 404 && mayComeLater(wanted)) return [];
          throw error;
        });
      return first(
        waiting,
        `event ${[type, contract, session].filter((part) => part !== undefined).join(' of ')}`,
        finder<LayawayEvent>(listWanted, listEvents, concerning(wanted), after, replacements),
        timeoutMs,
      ) as Promise<LayawayEvent<Type>>;
    },
  };
}
