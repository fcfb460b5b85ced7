import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { invalid, Refusal } from '../../domain/refusal.ts';

/** The parsed body; none counts as `{}`. */
export const bodyOf = ({ body }: { body: unknown }) => (body ?? {}) as object;

/** No sane request nests deeper; the limit keeps every later walk over a body shallow. */
const DEPTH_MAX = 512;

/**
 * A request body as an object; an empty one counts as `{}`.
 * @throws Refusal `invalid` with `errors.body` for malformed JSON, text that is no Unicode, or a body that is no object
 */
function parseBody(raw: Buffer): object {
  if (raw.length === 0) return {};
  const body = parse(raw);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid('body', 'The request body must be a JSON object.');
  }
  return body;
}

function parse(raw: Buffer): unknown {
  if (!isUtf8(raw)) throw malformed();
  const text = raw.toString('utf8');
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

/** Counts brackets, those in strings too: an over-estimate sends the rare body that trips it to the exact walk. */
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

/** Whether no string or key holds half of a surrogate pair, which no database and no other language would keep. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWellFormed(inner));
}

/**
 * A body is JSON or is refused, whatever else the request may be (decisions §5); that of a GET is never looked at.
 * Without a body the type says nothing, and whether a chunked request has one is known only once it was read:
 * `readBody` asks then.
 * @throws Refusal `content_type`
 */
export function requireJson({ method, headers }: FastifyRequest) {
  if (method === 'GET' || method === 'HEAD' || isJson(headers['content-type'])) return;
  if (Number(headers['content-length'] ?? 0) > 0) throw new Refusal('content_type');
  // Fastify would refuse a type that is no media type, even on a request without a body.
  delete headers['content-type'];
}

/**
 * The body of a request that has been read.
 * @throws Refusal `content_type`, and what `parseBody` throws
 */
export function readBody({ headers }: FastifyRequest, raw: Buffer): object {
  if (raw.length > 0 && !isJson(headers['content-type'])) throw new Refusal('content_type');
  return parseBody(raw);
}

const isJson = (type: string | undefined) =>
  type === 'application/json' || type?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
