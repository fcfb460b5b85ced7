import type { AttemptOutcome, Delivery } from '../domain/webhook.ts';

/** What a listening process is given to forward. */
export interface Letter {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Send = (delivery: Delivery, letter: Letter) => void;

export type Listeners = ReturnType<typeof createListeners>;

/**
 * Endpoints whose receiver stands next to another process (`layaway listen`): that process forwards what it is sent and
 * reports how it went. While none is connected, what is owed to the endpoint waits.
 */
export function createListeners() {
  const connected = new Map<number, Send>();
  const awaited = new Map<string, (outcome: AttemptOutcome | null) => void>();

  return {
    isConnected: (endpointId: number) => connected.has(endpointId),
    /** The newest connection takes over from an older one. */
    connect(endpointId: number, send: Send): () => void {
      connected.set(endpointId, send);
      return () => {
        if (connected.get(endpointId) !== send) return;
        connected.delete(endpointId);
        for (const [key, settle] of awaited) if (key.startsWith(`${endpointId} `)) settle(null);
      };
    },
    /** Null when the listener went away before it reported. */
    forward(endpointId: number, delivery: Delivery, letter: Letter): Promise<AttemptOutcome | null> {
      const send = connected.get(endpointId);
      if (!send) return Promise.resolve(null);
      return new Promise((resolve) => {
        const key = `${endpointId} ${delivery.token}`;
        awaited.set(key, (outcome) => {
          awaited.delete(key);
          resolve(outcome);
        });
        send(delivery, letter);
      });
    },
    /** False when nobody awaits that report. */
    report(endpointId: number, deliveryToken: string, outcome: AttemptOutcome): boolean {
      const settle = awaited.get(`${endpointId} ${deliveryToken}`);
      settle?.(outcome);
      return settle !== undefined;
    },
  };
}
