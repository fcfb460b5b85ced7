import type { FastifyRequest } from 'fastify';
import { readBody } from './body.ts';

const ENDS = ['end', 'close', 'error'];

/** Sets the body of a request that is answered before its turn; leaves one of more than `max` bytes or a wrong one unset. */
export function readEarly(request: FastifyRequest, max: number): Promise<void> {
  const { raw } = request;
  const parts: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve) => {
    const end = () => {
      raw.off('data', take);
      for (const event of ENDS) raw.off(event, end);
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
    for (const event of ENDS) raw.once(event, end);
  });
}
