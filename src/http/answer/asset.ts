import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpContext } from '../context.ts';
import { weightsIn } from './accept.ts';

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_MODE, BROTLI_MODE_TEXT } = constants;
const brotli = promisify(brotliCompress);

/** A compression level that saves most bytes and is fast enough for a first request. */
const BROTLI = { params: { [BROTLI_PARAM_QUALITY]: 5, [BROTLI_PARAM_MODE]: BROTLI_MODE_TEXT } };

const ENCODERS = {
  br: (bytes: Buffer): Promise<Buffer> => brotli(bytes, BROTLI),
  gzip: promisify(gzip),
};
type Coding = keyof typeof ENCODERS;

/** How an asset is found: its content, or a function that reads it. */
type Source = string | (() => string | Buffer | Promise<string | Buffer>);

/**
 * Makes handlers of files that are the same for everybody. Each file is compressed once per content coding, on the
 * first request that accepts it. A coding has an entity tag of its own, because its bytes differ.
 */
export function createAssets({ digest }: Pick<HttpContext, 'digest'>) {
  const hashOf = (bytes: Buffer) =>
    Buffer.from(digest.sha256(bytes.toString('latin1')))
      .toString('base64url')
      .slice(0, 16);

  /** `tag` changes with the content; without one, the content is hashed. */
  return function asset(type: string, source: Source, tag?: string) {
    const read = async () => Buffer.from(await (typeof source === 'string' ? source : source()));
    const encoded = remembered((coding: Coding) => read().then(ENCODERS[coding]));
    const hash = remembered(() => read().then(hashOf));

    return async ({ headers }: FastifyRequest, reply: FastifyReply) => {
      const coding = codingFor(headers['accept-encoding']);
      const etag = `"${[tag ?? (await hash('')), ...(coding ? [coding] : [])].join('-')}"`;
      reply.headers({ etag, vary: 'accept-encoding' });
      if (isKnown(headers['if-none-match'], etag)) return reply.code(304).send();
      if (coding) reply.header('content-encoding', coding);
      return reply.type(type).send(coding ? await encoded(coding) : await read());
    };
  };
}

/** Remembers what was made, but not a failure. */
export function remembered<K, T>(make: (key: K) => Promise<T>) {
  const made = new Map<K, Promise<T>>();
  return (key: K): Promise<T> => {
    const known = made.get(key);
    if (known) return known;
    const fresh = make(key);
    made.set(key, fresh);
    fresh.catch(() => made.delete(key));
    return fresh;
  };
}

/** The coding that the client prefers; null when it takes none of them. */
function codingFor(accepted: string | string[] | undefined): Coding | null {
  const weights = weightsIn(accepted);
  const weigh = (coding: Coding) => weights.get(coding) ?? weights.get('*') ?? 0;
  const best = weigh('br') >= weigh('gzip') ? 'br' : 'gzip';
  return weigh(best) > 0 ? best : null;
}

const isKnown = (known: string | undefined, etag: string) =>
  known?.split(',').some((each) => ['*', etag].includes(each.trim().replace(/^W\//, ''))) ?? false;
