import type { World } from './world.ts';

/** Keeps the request log with the state. A disk that is full costs the log, and no request. */
export const keptLog = ({ store }: Pick<World, 'store'>, fault: (error: unknown) => void) => ({
  read: store.requests.read,
  add(...part: Parameters<typeof store.requests.add>) {
    try {
      store.transaction(() => store.requests.add(...part));
    } catch (error) {
      fault(error);
    }
  },
});
