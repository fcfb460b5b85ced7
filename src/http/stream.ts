import type { FastifyReply } from 'fastify';

/** A stream of server-sent events on a reply; `send` writes one, `onClose` is called when the reader is gone. */
export function openStream(reply: FastifyReply, onClose: () => void) {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', connection: 'keep-alive' });
  raw.write(': open\n\n');
  raw.on('close', onClose);
  return (event: { readonly id?: string; readonly event: string; readonly data: string }) => {
    raw.write(`${event.id === undefined ? '' : `id: ${event.id}\n`}event: ${event.event}\ndata: ${event.data}\n\n`);
  };
}
