import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { invalid, Refusal } from '../../domain/refusal.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as it was sent, if it is a JSON object or empty; any other text, as a JSON string. */
    bodyText: string | null;
  }
}

/** The parsed body; an absent one counts as `{}`. */
export const bodyOf = ({ body }: { body: unknown }): object => body ?? {};

/** No reasonable request nests deeper. The limit keeps later recursion over a body shallow. */
const DEPTH_MAX = 512;

/**
 * Parses a request body as an object.
 * @throws Refusal `invalid` with `errors.body` for malformed JSON, invalid Unicode, or a body that is not an object
 */
function parseBody(text: string): object {
  const body = parse(text);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid('body', 'The request body must be a JSON object.');
  }
  return body;
}

function parse(text: string): unknown {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw malformed();
  }
  if (nestsTooDeep(text) || (/\\u[dD][89a-fA-F]/.test(text) && !isWellFormed(body))) throw malformed();
  return body;
}

const malformed = () => invalid('body', 'The request body must be valid JSON.');

/** First counts all brackets, also those in strings. Only if there are many, counts the depth exactly. */
function nestsTooDeep(text: string): boolean {
  if (text.length <= DEPTH_MAX) return false;
  if ((text.match(/[[{]/g)?.length ?? 0) <= DEPTH_MAX) return false;
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (inString) {
      if (character === '\\') index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '[' || character === '{') {
      depth += 1;
      if (depth > DEPTH_MAX) return true;
    } else if (character === ']' || character === '}') depth -= 1;
  }
  return false;
}

/** Whether no string or key has half of a surrogate pair, which databases and other languages cannot store. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWellFormed(inner));
}

/**
 * A body that is not JSON is refused on every route (decisions §5), except that the body of a GET is ignored. Without a
 * body, the content type does not matter. Whether a chunked request has a body is known only after it was read, so
 * `readBody` checks that case.
 * @throws Refusal `content_type`
 */
export function requireJson({ method, headers }: FastifyRequest) {
  if (method === 'GET' || method === 'HEAD' || isJson(headers['content-type'])) return;
  if (Number(headers['content-length'] ?? 0) > 0) throw new Refusal('content_type');
  // Fastify would refuse an invalid media type even on a request without a body.
  delete headers['content-type'];
}

/**
 * Parses the body of a request after it was read. An empty one counts as `{}`.
 * @throws Refusal `content_type`, and what `parseBody` throws
 */
export function readBody(request: FastifyRequest, raw: Buffer): object {
  if (raw.length === 0) {
    // The log shows that nothing was sent.
    request.bodyText = '';
    return {};
  }
  if (!isJson(request.headers['content-type'])) throw new Refusal('content_type');
  if (!isUtf8(raw)) throw malformed();
  const text = raw.toString('utf8');
  try {
    const body = parseBody(text);
    request.bodyText = text;
    return body;
  } catch (error) {
    // The log shows what was sent instead.
    request.bodyText = JSON.stringify(text);
    throw error;
  }
}

const isJson = (type: string | undefined) =>
  type === 'application/json' || type?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
