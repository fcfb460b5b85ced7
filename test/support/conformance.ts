import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { closed } from '../../src/operations/printed.ts';

interface Described {
  readonly content?: Record<string, { readonly schema: object }>;
  readonly headers?: Record<string, { readonly required?: boolean; readonly schema: object }>;
}
interface Operation {
  readonly responses: Record<string, Described>;
}
interface Document {
  readonly components: object;
  readonly paths: Record<string, Record<string, Operation>>;
}

/** The OpenAPI document of each part of the server. */
const DOCUMENTS = { '/v1': '/openapi.json', '/_sim': '/_sim/openapi.json' } as const;

/** The checks of each server, by document: its documents are read once, not by everyone who asks it. */
const checking = new WeakMap<object, Map<string, Promise<Check>>>();

/**
 * A `fetch` for paths of `sim` that throws unless answers under `/v1` and `/_sim` match the served OpenAPI documents:
 * status, content type, required headers, and every key of the body. The body is read: a copy of it for the check would
 * take longer than the request.
 */
export function conforming(sim: { readonly url: string }) {
  const known = checking.get(sim) ?? new Map<string, Promise<Check>>();
  checking.set(sim, known);
  return async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${sim.url}${path}`, { redirect: 'manual', ...init });
    const { status, headers } = response;
    const [, document] = Object.entries(DOCUMENTS).find(([prefix]) => path.startsWith(prefix)) ?? [];
    if (document === undefined) return { status, headers, text: await response.text() };
    const pending = known.get(document) ?? checkOf(`${sim.url}${document}`, sim.url);
    known.set(document, pending);
    const check = await pending;
    const isStream = headers.get('content-type')?.startsWith('text/event-stream');
    const body = isStream ? '' : await response.text();
    check({ method: init.method ?? 'GET', path, status, header: (name) => headers.get(name), body });
    return { status, headers, text: isStream ? await response.text() : body };
  };
}

interface Answer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body: string;
  header(name: string): string | null;
}
type Check = (answer: Answer) => void;

/** Checks by document, shared between simulators: compiling the schemas takes longer than a test. */
const checks = new Map<string, Check>();

async function checkOf(address: string, url: string): Promise<Check> {
  const text = (await (await fetch(address)).text()).replaceAll(url, '');
  const check = checks.get(text) ?? createCheck(JSON.parse(text));
  checks.set(text, check);
  return check;
}

/** What an answer with that status must be; undefined if there may be none. */
function describedAs(status: number, route: object | undefined, operation: Operation | undefined) {
  if (operation) return operation.responses[status] ?? (status === 500 ? undocumented([]) : undefined);
  if (route) return status === 405 ? undocumented(['allow']) : undefined;
  return status === 404 ? undocumented([]) : undefined;
}

/** The required answer of a route that is not in the document (§2.9). */
const undocumented = (headers: readonly string[]): Described => ({
  content: { 'application/json': { schema: { $ref: 'openapi#/components/schemas/Error' } } },
  headers: Object.fromEntries(headers.map((name) => [name, { required: true, schema: {} }])),
});

export function createCheck(document: Document): Check {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
  addFormats.default(ajv);
  // To ajv, the document is a schema with one unknown keyword. What is described stays open for fields of later versions;
  // the simulator itself sends none that is not described.
  ajv.addVocabulary(['components']);
  ajv.addSchema({ components: closed(document.components) }, 'openapi', true, false);
  const routes = Object.entries(document.paths).map(([path, operations]) => ({
    path,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]*')}$`),
    operations,
  }));
  const compiled = new Map<string, ValidateFunction>();

  return (answer) => {
    const path = answer.path.split(/[?#]/, 1)[0] as string;
    const candidates = routes.filter(({ pattern }) => pattern.test(path));
    const route = candidates.find((candidate) => candidate.path === path) ?? candidates[0];
    const method = answer.method.toLowerCase();
    const operation = route?.operations[method] ?? (method === 'head' ? route?.operations.get : undefined);

    const complain = (what: string): never => {
      throw new Error(
        `${answer.method} ${answer.path} answered ${answer.status}, which the OpenAPI document does not allow: ${what}\n${answer.body.slice(0, 2000)}`,
      );
    };
    const described = describedAs(answer.status, route, operation);
    if (!described) {
      const known = operation ? Object.keys(operation.responses).join(', ') : route ? '405' : '404';
      return complain(`${operation ? `${method} ${route?.path}` : 'this route'} answers only ${known}.`);
    }

    for (const [name, { required = false, schema }] of Object.entries(described.headers ?? {})) {
      const value = answer.header(name);
      if (value === null && required) complain(`the header ${name} is missing.`);
      if (value !== null) judge(`header ${name} ${answer.status}`, schema, typed(value, schema), `header ${name}`);
    }

    if (method === 'head') {
      if (answer.body !== '') complain('a response to HEAD has no body.');
      return;
    }
    const content = Object.entries(described.content ?? {});
    if (content.length === 0) {
      if (answer.body !== '') complain('this status has no body.');
      return;
    }
    const type = answer.header('content-type')?.split(';', 1)[0]?.trim();
    const media = content.find(([name]) => name === type);
    if (!media) return complain(`the content type is ${type}, not ${content.map(([name]) => name).join(' or ')}.`);
    if (type === 'application/json') {
      judge(`${route?.path} ${method} ${answer.status}`, media[1].schema, parse(answer.body), 'body');
    }

    function judge(key: string, schema: object, value: unknown, name: string) {
      const validate = compiled.get(key) ?? ajv.compile(closed(absolute(schema)) as object);
      compiled.set(key, validate);
      if (!validate(value)) complain(ajv.errorsText(validate.errors, { dataVar: name, separator: '\n' }));
    }
    function parse(text: string): unknown {
      try {
        return JSON.parse(text);
      } catch {
        return complain('the body is not JSON.');
      }
    }
  };
}

/** A header is text, but its schema may require a number. */
const typed = (value: string, schema: { type?: string }) =>
  schema.type === 'integer' && /^\d+$/.test(value) ? Number(value) : value;

/** Makes the references of a fragment point into its document. */
function absolute(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(absolute);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) =>
      key === '$ref' && typeof inner === 'string' && inner.startsWith('#')
        ? [key, `openapi${inner}`]
        : [key, absolute(inner)],
    ),
  );
}
