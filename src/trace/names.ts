import { REFERENCE } from '../domain/contract.ts';

/** The id of a session or a contract. */
export const PLAN_ID = new RegExp(`cs_[A-Za-z0-9]{32}|${REFERENCE}`, 'g');

/** Names for what the steps of a scenario create, by token or reference, because each run draws new ones. */
export function createNames() {
  const places = new Map<string, string>();

  return {
    has: (id: string) => places.has(id),
    /** Where later steps find it, such as `session1` or, in a list, `session1.0`. */
    placeOf: (id: string) => places.get(id),
    /** Returns a new name. `inside` is the path from the named value to the session or contract. */
    give(id: string, noun: 'session' | 'contract', inside = ''): string {
      const count = [...places.values()].filter((place) => place.startsWith(noun)).length + 1;
      const name = `${noun}${count}`;
      places.set(id, `${name}${inside}`);
      return name;
    },
    /** Replaces ids by `${…}`. */
    renamed: (text: string): string =>
      text.replace(PLAN_ID, (id) => {
        const place = places.get(id);
        return place === undefined ? id : `\${${place}.${id.startsWith('cs_') ? 'id' : 'reference'}}`;
      }),
  };
}
