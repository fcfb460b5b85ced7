import type { AttemptOutcome, Delivery, Endpoint, Letter } from '../../domain/webhook.ts';

/** The outcome that a listening process reports; it does not repeat the headers that it was given. */
type Reported = Omit<AttemptOutcome, 'requestHeaders'>;

interface Connection {
  send(delivery: Delivery, letter: Letter): void;
  /** The state of its endpoint, which may be as before. */
  tell(endpoint: Endpoint): void;
  /** Says why as its last message: a newer connection forwards for the endpoint, or the endpoint was removed. */
  dismiss(why: 'superseded' | 'removed'): void;
  hangUp(): void;
}

/** Where the endpoints are stored, and what notifies of changes. */
interface Watched {
  readonly endpoints: { find(endpointId: number): Endpoint | null };
  onCommit(listener: () => void): unknown;
}

/** An attempt whose outcome is still to be reported. */
interface Awaited {
  readonly attempt: number;
  resolve(outcome: Reported | null): void;
}

export type Listeners = ReturnType<typeof createListeners>;

/**
 * The connections of `layaway listen`. Such a process gets the deliveries of its endpoint, forwards them and reports
 * the outcomes. While none is connected, the deliveries wait.
 */
export function createListeners({ endpoints, onCommit }: Watched) {
  const connected = new Map<number, Connection>();
  const awaited = new Map<string, Awaited>();

  function tell(endpointId: number, connection: Connection) {
    const endpoint = endpoints.find(endpointId);
    if (endpoint) connection.tell(endpoint);
  }

  onCommit(() => {
    for (const [endpointId, connection] of connected) tell(endpointId, connection);
  });

  const giveUp = (belongs: (key: string) => boolean) => {
    for (const [key, { resolve }] of awaited) if (belongs(key)) resolve(null);
  };

  return {
    isConnected: (endpointId: number) => connected.has(endpointId),
    /**
     * Adds a connection, which replaces an older one. The returned function removes it, and returns the endpoints
     * without one.
     */
    connect(endpointId: number, connection: Connection): () => number[] {
      // The older connection may never report its deliveries, so the newer one gets them.
      giveUp((key) => key.startsWith(`${endpointId} `));
      connected.get(endpointId)?.dismiss('superseded');
      connected.set(endpointId, connection);
      tell(endpointId, connection);
      return () => {
        const left = [...connected].filter(([, current]) => current === connection).map(([id]) => id);
        for (const id of left) {
          connected.delete(id);
          giveUp((key) => key.startsWith(`${id} `));
        }
        return left;
      };
    },
    /** The endpoint was removed. */
    remove: (endpointId: number) => connected.get(endpointId)?.dismiss('removed'),
    /** After a reset or restore, each connection continues for its endpoint in the new state, or ends. */
    rehome(homeOf: (endpointId: number) => number | null) {
      const before = [...connected];
      connected.clear();
      giveUp(() => true);
      for (const [endpointId, connection] of before) {
        const home = homeOf(endpointId);
        if (home === null) {
          connection.hangUp();
          continue;
        }
        connected.set(home, connection);
        tell(home, connection);
      }
    },
    /** Null when the listener disconnected before it reported. */
    forward(endpointId: number, delivery: Delivery, letter: Letter): Promise<AttemptOutcome | null> {
      const connection = connected.get(endpointId);
      if (!connection) return Promise.resolve(null);
      return new Promise((resolve) => {
        const key = `${endpointId} ${delivery.token}`;
        awaited.set(key, {
          attempt: delivery.attempts + 1,
          resolve(outcome) {
            awaited.delete(key);
            resolve(outcome && { ...outcome, requestHeaders: letter.headers });
          },
        });
        connection.send(delivery, letter);
      });
    },
    /** False when no delivery waits for that report: an attempt that was given up may be reported late. */
    report(endpointId: number, deliveryToken: string, attempt: number | null, outcome: Reported): boolean {
      const waiting = awaited.get(`${endpointId} ${deliveryToken}`);
      if (!waiting || (attempt !== null && attempt !== waiting.attempt)) return false;
      waiting.resolve(outcome);
      return true;
    },
  };
}
