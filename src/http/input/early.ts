import type { FastifyRequest } from 'fastify';
import { readBody } from './body.ts';

/** Reads the body of a request that is answered before its turn, at most `max` bytes of it; null for one that cannot be read. */
export function readEarly(request: FastifyRequest, max: number): Promise<void> {
  const { raw } = request;
  const parts: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve) => {
    const end = () => {
      raw.off('data', take);
      try {
        if (bytes <= max) request.body = readBody(request, Buffer.concat(parts));
      } catch {
        // Nothing is done with it.
      }
      resolve();
    };
    const take = (part: Buffer) => {
      bytes += part.length;
      if (bytes > max) end();
      else parts.push(part);
    };
    raw.on('data', take);
    for (const event of ['end', 'close', 'error']) raw.once(event, end);
  });
}
