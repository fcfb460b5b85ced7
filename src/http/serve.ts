import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import type { Account, ApiKey } from '../domain/merchant.ts';
import type { Principal } from '../engine/authenticate.ts';
import { NAMED } from '../operations/index.ts';
import type { Answer, Body, Operation, Params, Query } from '../operations/operation.ts';
import { bodyOf } from './input/body.ts';
import { readQuery } from './input/query.ts';
import { validate, validateStrictly } from './input/validate.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the route serves; who may call it is decided from it. */
    operation?: Operation;
  }
}

/** A request as its operation declares it. */
export interface Call<O extends Operation> {
  readonly account: Account;
  /** The key that it came with. */
  readonly key: ApiKey;
  readonly params: Params<O>;
  readonly query: Query<O>;
  /**
   * Checked when it is asked for, since a resource that does not exist is refused before a body that is wrong.
   * @throws Refusal `invalid`
   */
  body(): Body<O>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export type Handler<O extends Operation> = (call: Call<O>) => Result<O> | Promise<Result<O>>;
type Result<O extends Operation> = Answer<O> extends undefined ? unknown : Answer<O>;

/** Serves an operation: its path, its input checked, the status of its success. */
export function serve<const O extends Operation>(app: FastifyInstance, operation: O, handler: Handler<O>) {
  const { method, path, success, body, ignoresUnknown }: Operation = operation;
  const check = ignoresUnknown ? validate : validateStrictly;
  const bodySchema = body && resolved(body);
  app.route({
    method,
    url: path.replace(/\{(\w+)\}/g, ':$1'),
    // A page is asked for by a frame on its own.
    config: { operation, quiet: success.type === 'text/html' },
    // A stream has no end, so that HEAD could not answer what GET would.
    exposeHeadRoute: success.type !== 'text/event-stream',
    // Most answers are there at once: those need no promise.
    handler(request, reply) {
      reply.code(success.status);
      const work = () =>
        handler({
          ...(request.principal ?? (NOBODY as Principal)),
          params: request.params as Params<O>,
          query: readQuery(operation, request.query as Record<string, unknown>) as Query<O>,
          body() {
            const given = bodyOf(request);
            return (bodySchema ? check(bodySchema, given) : undefined) as Body<O>;
          },
          request,
          reply,
        });
      const answer = request.strike ? request.strike.within(work) : work();
      if (answer instanceof Promise) return answer.then((body) => (success.status === 204 ? reply.send() : body));
      if (answer !== reply && !reply.sent) reply.send(success.status === 204 ? undefined : answer);
    },
  });
}

/** An operation that needs no account is not asked for one. */
const NOBODY: object = {};

const byName = new Map(NAMED.map((schema) => [(schema as { $id?: string }).$id, schema as TSchema]));

/** What a reference stands for. */
export const resolved = (schema: TSchema): TSchema => byName.get((schema as { $ref?: string }).$ref) ?? schema;
