import type { AttemptOutcome, Delivery, Letter } from '../../domain/webhook.ts';

interface Connection {
  send(delivery: Delivery, letter: Letter): void;
  /** Another one forwards for the endpoint now. */
  supersede(): void;
  hangUp(): void;
}

export type Listeners = ReturnType<typeof createListeners>;

/**
 * Endpoints whose receiver stands next to another process (`layaway listen`): that process forwards what it is sent and
 * reports how it went. While none is connected, what is owed to the endpoint waits.
 */
export function createListeners() {
  const connected = new Map<number, Connection>();
  const awaited = new Map<string, (outcome: AttemptOutcome | null) => void>();

  const giveUp = (belongs: (key: string) => boolean) => {
    for (const [key, resolve] of awaited) if (belongs(key)) resolve(null);
  };

  return {
    isConnected: (endpointId: number) => connected.has(endpointId),
    /** The newest connection takes over from an older one. What is returned ends it, and gives whom nobody listens for now. */
    connect(endpointId: number, connection: Connection): () => number[] {
      // What the older one was given may never be reported: it is given to the newer one.
      giveUp((key) => key.startsWith(`${endpointId} `));
      connected.get(endpointId)?.supersede();
      connected.set(endpointId, connection);
      return () => {
        const left = [...connected].filter(([, current]) => current === connection).map(([id]) => id);
        for (const id of left) {
          connected.delete(id);
          giveUp((key) => key.startsWith(`${id} `));
        }
        return left;
      };
    },
    /** The workspace is another one: each connection goes on for the endpoint that is its own there, or ends. */
    rehome(homeOf: (endpointId: number) => number | null) {
      const before = [...connected];
      connected.clear();
      giveUp(() => true);
      for (const [endpointId, connection] of before) {
        const home = homeOf(endpointId);
        if (home === null) connection.hangUp();
        else connected.set(home, connection);
      }
    },
    /** Null when the listener went away before it reported. */
    forward(endpointId: number, delivery: Delivery, letter: Letter): Promise<AttemptOutcome | null> {
      const connection = connected.get(endpointId);
      if (!connection) return Promise.resolve(null);
      return new Promise((resolve) => {
        const key = `${endpointId} ${delivery.token}`;
        awaited.set(key, (outcome) => {
          awaited.delete(key);
          resolve(outcome);
        });
        connection.send(delivery, letter);
      });
    },
    /** False when nobody awaits that report. */
    report(endpointId: number, deliveryToken: string, outcome: AttemptOutcome): boolean {
      const resolve = awaited.get(`${endpointId} ${deliveryToken}`);
      resolve?.(outcome);
      return resolve !== undefined;
    },
  };
}
