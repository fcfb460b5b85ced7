import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../domain/refusal.ts';
import { refusalBody, STATUS, sendRefusal } from './answer/refusals.ts';
import { pathOf } from './input/path.ts';

interface KnownRoute {
  readonly pattern: RegExp;
  readonly methods: string[];
}

export type Routes = ReturnType<typeof createRoutes>;

/** Knows every route of the instances that it collects from, to tell a wrong method from a wrong path. */
export function createRoutes() {
  const registered: [method: string, url: string][] = [];
  let known: KnownRoute[] | undefined;

  function list() {
    if (!known) {
      const methods = new Map<string, Set<string>>();
      for (const [method, url] of registered) methods.set(url, (methods.get(url) ?? new Set()).add(method));
      known = [...methods].map(([url, names]) => ({ pattern: patternOf(url), methods: [...names].sort() }));
    }
    return known;
  }

  /** The methods of the route at this address; undefined if there is none. */
  function methodsAt(url: string): readonly string[] | undefined {
    const path = pathOf(url);
    return list().find(({ pattern }) => pattern.test(path))?.methods;
  }

  return {
    /** Call it before the first route is registered. */
    collect(app: FastifyInstance) {
      app.addHook('onRoute', ({ method, url }) => {
        for (const name of [method].flat()) registered.push([name, url]);
      });
    },
    /** Addresses that a route with a pattern answers: those of the pattern that are not among them are unknown. */
    add(methods: readonly string[], urls: Iterable<string>) {
      for (const url of urls) for (const name of methods) registered.push([name, url]);
    },
    methodsAt,
    refuse(request: FastifyRequest, reply: FastifyReply) {
      const allowed = methodsAt(request.url);
      const name = nameOf(request.url);
      if (!allowed) return sendRefusal(reply, new Refusal('route_not_found', name));
      return sendRefusal(reply, new Refusal('method_not_allowed', request.method, name, allowed.join(', ')));
    },
  };
}

const patternOf = (url: string) =>
  new RegExp(`^${url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`);

interface RawResponse {
  writeHead(status: number, headers: Record<string, string>): void;
  end(body: string): void;
}

/** The router takes `/v1/contracts/` for a contract with an empty reference. It is an unknown route. */
export const hasEmptyParameter = ({ params }: FastifyRequest) => Object.values(params as object).includes('');

/** Answers a path that cannot be decoded, for which Fastify makes no reply object. */
export function refuseRaw(response: RawResponse, refusal: Refusal) {
  response.writeHead(STATUS[refusal.code], { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(refusalBody(refusal)));
}

/** Leads a browser from such a path to a page, where JSON would be of no use. */
export function leadRaw(response: RawResponse, location: string) {
  response.writeHead(303, { location, 'cache-control': 'no-store' });
  response.end('');
}

export const notFound = (url: string) => new Refusal('route_not_found', nameOf(url));

/** The path without its first slash: `v1/ping`. `/` and the `*` of OPTIONS stay as they are. */
function nameOf(url: string): string {
  const path = pathOf(url);
  return path.startsWith('/') && path !== '/' ? path.slice(1) : path;
}
