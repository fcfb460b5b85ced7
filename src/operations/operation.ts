import type { Static, TSchema } from 'typebox';
import * as Type from 'typebox';
import type { Scope } from '../domain/scope.ts';
import type { Wire } from './wire.ts';

/** What a refusal means, by status (§7). */
export const REFUSALS = {
  400: 'The Idempotency-Key header is longer than 255 characters, or sent more than once.',
  401: 'Key missing, unknown or revoked, or client id and key from different modes.',
  403: 'The key lacks the scope, the merchant is not cleared to transact, or the account is not active.',
  404: 'This account has no such resource.',
  409: 'The Idempotency-Key was already used with a different body.',
  413: 'The request body is too large.',
  415: 'The request body is not sent as application/json.',
  422: 'The request is invalid.',
  429: 'Rate limited. The Retry-After header gives the seconds until the next request is allowed.',
} as const;
type RefusalStatus = keyof typeof REFUSALS;

const TOKEN_REFUSED = 'The control token is missing or wrong.';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** The methods that a test or a scenario can send. */
export const SENT_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** `account`: the merchant's own header pair. `workspace`: the control token. `none`: nothing. */
export type Auth = 'account' | 'workspace' | 'none';

/**
 * One thing that the server does, declared once: what validates it, documents it and calls it follows from this.
 * A `{name}` in the path is a parameter.
 */
export interface Operation {
  readonly operationId: string;
  readonly method: Method;
  readonly path: string;
  readonly auth: Auth;
  /**
   * Ignores fields and query parameters that it does not name, as the service does. Otherwise they are refused
   * (interface §13): a filter that did nothing would let a test pass wrongly.
   */
  readonly ignoresUnknown?: true;
  /** The client id with the control token is accepted, too, for those who have lost the key. */
  readonly orToken?: true;
  /** What the key must be allowed to do (§5); operations of `/v1` only. */
  readonly scope?: Scope;
  readonly tag: string;
  /** One sentence. */
  readonly summary: string;
  readonly description?: string;
  /** Describes the parameters of the path whose names are not enough. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: TSchema;
  readonly headers?: TSchema;
  readonly body?: TSchema;
  /** The body cannot be omitted, although none of its fields is required by itself. */
  readonly needsBody?: true;
  readonly success: Success;
  /** The success when there is nothing left to do. */
  readonly successAgain?: Success;
  /** The statuses of refusals, with a description if one means more, and a schema if its body is not the usual one. */
  readonly refusals: readonly (RefusalStatus | readonly [RefusalStatus, string, TSchema?])[];
}

/** The whole body of a success; 204 has none. */
export interface Success {
  readonly status: 200 | 201 | 204;
  readonly schema: TSchema;
  readonly description: string;
  /** The content type, if it is not JSON. */
  readonly type?: 'text/event-stream' | 'text/html';
}

/** Keeps the exact types of a declaration, so that a call and its handler are checked against it. */
export const operation = <const O extends Operation>(declared: O): O => declared;

/** The parameters of a path: ids, and numbers that count. */
export const parametersOf = ({ path, params = {} }: Pick<Operation, 'path' | 'params'>): Record<string, TSchema> =>
  Object.fromEntries(
    [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
      const described = params[name] === undefined ? {} : { description: params[name] };
      return [name, name === 'number' ? Type.Integer({ minimum: 1, ...described }) : Type.String(described)];
    }),
  );

type ParameterNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never;
export type Params<O extends Operation> = { readonly [Name in ParameterNames<O['path']>]: string };
export type Query<O extends Operation> = O extends { readonly query: infer S extends TSchema } ? Static<S> : object;
export type Body<O extends Operation> = O extends { readonly body: infer S extends TSchema } ? Static<S> : undefined;
/** The whole body of the answer. */
export type Answer<O extends Operation> = Static<O['success']['schema']>;

/** A reference to a named schema, with its printed type. */
export const ref = <Name extends keyof Wire>(name: Name) => Type.Unsafe<Wire[Name]>(Type.Ref(name));

/** The same, or null. */
export const refOrNull = <Name extends keyof Wire>(name: Name, description?: string) =>
  Type.Unsafe<Wire[Name] | null>({
    anyOf: [Type.Ref(name), { type: 'null' }],
    ...(description === undefined ? {} : { description }),
  });

/** An object that always has all these keys, and no others. */
export const resource = <P extends Record<string, TSchema>>(properties: P, options: object = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });

/** A resource to which others refer by its name. */
export const named = <P extends Record<string, TSchema>>(name: string, description: string, properties: P) =>
  resource(properties, { $id: name, description });

/** What a request gives: the same, but there may be other keys. */
export const input = <P extends Record<string, TSchema>>(name: string, description: string, properties: P) =>
  Type.Object(properties, { $id: name, description });

/** `{ data: … }`, the envelope of every success. */
export const enveloped = <Name extends keyof Wire>(name: Name) => resource({ data: ref(name) });
/** `{ data: [ … ] }`. */
export const listed = <Name extends keyof Wire>(name: Name) =>
  resource({ data: Type.Unsafe<readonly Wire[Name][]>(Type.Array(Type.Ref(name))) });

export const ok = <S extends TSchema>(schema: S, description: string) =>
  ({ status: 200, schema, description }) as const;
export const created = <S extends TSchema>(schema: S, description: string) =>
  ({ status: 201, schema, description }) as const;
/** Server-sent events, without an end. */
export const stream = (description: string) =>
  ({ status: 200, schema: Type.String(), description, type: 'text/event-stream' }) as const;
export const NOTHING = { status: 204, schema: Type.Unsafe<undefined>(Type.Unknown()), description: 'Done.' } as const;

/** The body of the success as commands and tools print it; for a 204, `{"data":null}`. */
export const bodyOf = ({ success }: Operation): TSchema =>
  success.status === 204 ? resource({ data: Type.Null() }) : success.schema;

/** The answers of an operation, by status. */
export const responses = ({ auth, success, successAgain, refusals }: Operation) => [
  success,
  ...(successAgain ? [successAgain] : []),
  ...refusals.map((refusal) => {
    const [status, description, schema] = typeof refusal === 'number' ? [refusal] : refusal;
    const usual = status === 401 && auth === 'workspace' ? TOKEN_REFUSED : REFUSALS[status];
    return {
      status,
      schema: schema ?? Type.Ref(status === 422 ? 'ValidationError' : 'Error'),
      description: description ?? usual,
    };
  }),
];

/** Whether a value, as a parameter of a path, would make it another path. */
export const isOtherPath = (value: string) => /^\.{0,2}$/.test(value);

/** The path of a call, with its parameters and its query. */
export function addressOf(
  { path }: Pick<Operation, 'path'>,
  params: Readonly<Record<string, string>> = {},
  query: object = {},
): string {
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return given.length === 0 ? place : `${place}?${new URLSearchParams(given)}`;
}
