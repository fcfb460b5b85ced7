import type { FastifyReply } from 'fastify';
import { SECOND } from '../../domain/calendar.ts';
import type { Principal } from '../../engine/authenticate.ts';
import type { HttpContext } from '../context.ts';
import { hasNoKey } from '../routes/sim/dashboard-principal.ts';

export interface StreamedEvent {
  readonly id?: string;
  readonly event: string;
  readonly data: string;
}

export interface StreamWorks {
  /** Called when the reader has taken everything, so there is room again. */
  onDrain?(): void;
  /** Called when the reader has left or was disconnected. */
  onClose(): void;
}

/** How much is buffered for a reader before it must read. */
const ROOM_BYTES = 64 * 1024;
/** A reader that stops reading with more than this unread is disconnected (interface §6). */
export const UNREAD_MAX_BYTES = 1024 * 1024;
/** Proxies close a connection on which nothing comes, many after 30 or 60 seconds. */
const SILENCE_MS = 15 * SECOND;

/** A stream of server-sent events. It ends when the key that opened it is revoked. */
export function openStream(
  { engine, store, notifier, after }: Pick<HttpContext, 'engine' | 'store' | 'notifier' | 'after'>,
  principal: Principal,
  reply: FastifyReply,
  { onDrain = () => undefined, onClose }: StreamWorks,
) {
  reply.hijack();
  const { raw } = reply;
  const { account, key } = principal;
  raw.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    connection: 'keep-alive',
    // Without it, nginx keeps events back until they fill a buffer.
    'x-accel-buffering': 'no',
  });
  raw.write(': open\n\n');

  function isKeyAlive(): boolean {
    const present = store.accounts.find(account.clientId);
    return present !== null && engine.heldKey(present, key.hash) !== null;
  }
  const isOpen = () => !raw.writableEnded && !raw.destroyed;
  const hasRoom = () => isOpen() && raw.writableLength < ROOM_BYTES;
  /** Whether the caller was told that there is no room. */
  let isAwaited = false;
  // Node 26 does not always emit `drain`, but it calls back for each write.
  const taken = () => {
    if (!isAwaited || !isOpen() || raw.writableLength > 0) return;
    isAwaited = false;
    onDrain();
  };
  const unsubscribe = hasNoKey(principal)
    ? () => undefined
    : notifier.subscribe(account.id, () => {
        if (isKeyAlive()) return;
        // The end would wait behind what a reader has not taken.
        if (raw.writableNeedDrain && raw.writableLength > 0) raw.destroy();
        else raw.end();
      });

  let callOff = after(SILENCE_MS, breakSilence);
  function breakSilence() {
    if (hasRoom()) raw.write(':\n\n', taken);
    callOff = after(SILENCE_MS, breakSilence);
  }

  raw.on('close', () => {
    callOff();
    unsubscribe();
    onClose();
  });

  return {
    hasRoom() {
      const fits = hasRoom();
      isAwaited ||= !fits;
      return fits;
    },
    send({ id, event, data }: StreamedEvent) {
      if (!isOpen()) return;
      raw.write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`, taken);
      if (raw.writableLength > UNREAD_MAX_BYTES) raw.destroy();
    },
    end: () => void raw.end(),
    cutOff: () => void raw.destroy(),
  };
}
