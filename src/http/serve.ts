import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import type { Account, ApiKey } from '../domain/merchant.ts';
import { isPromise } from '../domain/promise.ts';
import { resolved } from '../operations/index.ts';
import type { Answer, Body, Operation, Params, Query } from '../operations/operation.ts';
import { bodyOf } from './input/body.ts';
import { readQuery } from './input/query.ts';
import { validate, validateStrictly } from './input/validate.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation that the route serves. It decides who may call it. */
    operation?: Operation;
  }
}

/** Who calls an operation: undefined for one that is not called as an account. */
interface Caller<O extends Operation> {
  readonly account: O['auth'] extends 'account' ? Account : undefined;
  /** The key of the request. */
  readonly key: O['auth'] extends 'account' ? ApiKey : undefined;
}

/** A request as its operation declares it. */
export interface Call<O extends Operation> extends Caller<O> {
  readonly params: Params<O>;
  readonly query: Query<O>;
  /**
   * Checked on first use, because a missing resource is refused before an invalid body.
   * @throws Refusal `invalid`
   */
  body(): Body<O>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export type Handler<O extends Operation> = (call: Call<O>) => Result<O> | Promise<Result<O>>;
/** The body of the answer. A handler whose answer is not JSON sends it itself. */
type Result<O extends Operation> = O['success'] extends { readonly type: string }
  ? FastifyReply
  : Answer<O> extends undefined
    ? unknown
    : Answer<O>;

/** Registers an operation: its path, the checks of its input, and the status of its success. */
export function serve<const O extends Operation>(app: FastifyInstance, operation: O, handler: Handler<O>) {
  const { method, path, success, body, ignoresUnknown }: Operation = operation;
  const check = ignoresUnknown ? validate : validateStrictly;
  const bodySchema = body && resolved(body);
  const takesNoField = !body && !ignoresUnknown;
  app.route({
    method,
    url: path.replace(/\{(\w+)\}/g, ':$1'),
    // Frames request pages on their own.
    config: { operation, quiet: success.type === 'text/html' },
    // A stream does not end, so HEAD cannot answer what GET would.
    exposeHeadRoute: success.type !== 'text/event-stream',
    // Most handlers answer at once and need no promise.
    handler(request, reply) {
      reply.code(success.status);
      const { account, key } = (request.principal ?? NOBODY) as Caller<O>;
      const work = () => {
        if (takesNoField) validateStrictly(NO_FIELDS, bodyOf(request));
        return handler({
          account,
          key,
          params: request.params as Params<O>,
          query: readQuery(operation, request.query as Record<string, unknown>) as Query<O>,
          body() {
            const given = bodyOf(request);
            return (bodySchema ? check(bodySchema, given) : undefined) as Body<O>;
          },
          request,
          reply,
        });
      };
      const answer = request.strike ? request.strike.within(work) : work();
      if (isPromise(answer)) return answer.then((body) => (success.status === 204 ? reply.send() : body));
      if (answer !== reply && !reply.sent) reply.send(success.status === 204 ? undefined : answer);
    },
  });
}

const NO_FIELDS = Type.Object({});

const NOBODY = { account: undefined, key: undefined };
