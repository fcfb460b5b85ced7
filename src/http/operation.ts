import type { TSchema } from 'typebox';
import Type from 'typebox';
import type { Scope } from '../domain/scope.ts';

/** What a refusal means, by status (§7). */
const REFUSALS = {
  400: 'The Idempotency-Key header is longer than 255 characters, or sent more than once.',
  401: 'Key missing, unknown or revoked, or client id and key from different modes.',
  403: 'The key lacks the scope, the merchant is not cleared to transact, or the account is not active.',
  404: 'Nothing of this merchant in this mode has that token or reference.',
  409: 'The Idempotency-Key was already used with a different body.',
  413: 'The request body is too large.',
  415: 'The request body is not sent as application/json.',
  422: 'The request is invalid.',
  429: 'Rate limited. The Retry-After header gives the seconds until the next request is allowed.',
} as const;
type RefusalStatus = keyof typeof REFUSALS;

/** One operation of the service as the OpenAPI document describes it. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  /** Null: needs no key. */
  readonly scope: Scope | null;
  readonly params?: TSchema;
  readonly querystring?: TSchema;
  readonly headers?: TSchema;
  readonly body?: TSchema;
  readonly success: { readonly status: 200 | 201; readonly schema: TSchema; readonly description: string };
  /** Statuses of refusals; with a schema where the body is not a plain Error, and a description where it means more. */
  readonly refusals: readonly (RefusalStatus | readonly [RefusalStatus, TSchema, string?])[];
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What `/openapi.json` says of the route; a route without one is not in the document. */
    operation?: Operation;
  }
}

/** Fastify's route options for an operation. The schemas stay out of Fastify: it would compile them at every start. */
export const route = (operation: Operation) => ({ config: { scope: operation.scope, operation } });

/** What an operation answers, by status. */
export const responses = ({ success, refusals }: Operation) => [
  success,
  ...refusals.map((refusal) => {
    const [status, schema, description] =
      typeof refusal === 'number' ? [refusal, Type.Ref('Error') as TSchema] : refusal;
    return { status, schema, description: description ?? REFUSALS[status] };
  }),
];
