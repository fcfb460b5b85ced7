import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpContext } from '../context.ts';
import { isOfDashboard } from '../routes/sim/visitor.ts';

export interface StreamedEvent {
  readonly id?: string;
  readonly event: string;
  readonly data: string;
}

export interface StreamWorks {
  /** The reader has taken everything: there is room again. */
  onDrain?(): void;
  /** The reader is gone, or was cut off. */
  onClose(): void;
}

/** Buffered for a reader before it is given no more until it has read. */
const ROOM_BYTES = 64 * 1024;
/** A reader that stands still while more than this lies unread is cut off (interface §6). */
export const UNREAD_MAX_BYTES = 1024 * 1024;

/** A stream of server-sent events on a reply. It ends when the key it was opened with does. */
export function openStream(
  { store, news, digest }: Pick<HttpContext, 'store' | 'news' | 'digest'>,
  { principal }: FastifyRequest,
  reply: FastifyReply,
  { onDrain = () => undefined, onClose }: StreamWorks,
) {
  reply.hijack();
  const { raw } = reply;
  const { account, key } = principal;
  raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', connection: 'keep-alive' });
  raw.write(': open\n\n');

  /** A reset or restore may have brought another state, in which the same key has another id. */
  function isKeyAlive(): boolean {
    const present = store.accounts.find(account.clientId);
    const keys = present ? store.of(present).keys.list() : [];
    return keys.some(({ hash, revokedAt }) => revokedAt === null && digest.same(hash, key.hash));
  }
  const isOpen = () => !raw.writableEnded && !raw.destroyed;
  const hasRoom = () => isOpen() && raw.writableLength < ROOM_BYTES;
  const unsubscribe = isOfDashboard(principal)
    ? () => undefined
    : news.subscribe(account.id, () => {
        if (isKeyAlive()) return;
        if (hasRoom()) raw.end();
        else raw.destroy();
      });

  raw.on('drain', onDrain);
  raw.on('close', () => {
    unsubscribe();
    onClose();
  });

  return {
    hasRoom,
    send({ id, event, data }: StreamedEvent) {
      if (!isOpen()) return;
      raw.write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`);
      if (raw.writableLength > UNREAD_MAX_BYTES) raw.destroy();
    },
    end: () => void raw.end(),
    cutOff: () => void raw.destroy(),
  };
}
