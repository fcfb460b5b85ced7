import type { World } from './world.ts';

/** Keeps the request log with the state. If the disk is full, only the log is lost, and no request fails. */
export const keptLog = ({ store }: Pick<World, 'store'>, fault: (error: unknown) => void) => ({
  read: store.requests.read,
  lastNamed: store.requests.lastNamed,
  add(...part: Parameters<typeof store.requests.add>) {
    try {
      store.transaction(() => store.requests.add(...part));
    } catch (error) {
      fault(error);
    }
  },
});
