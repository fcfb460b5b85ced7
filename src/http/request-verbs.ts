import type { FastifyRequest } from 'fastify';
import { leverCause, pageCause, requestCause } from '../domain/cause.ts';
import type { Account } from '../domain/merchant.ts';
import type { Verbs } from '../engine/engine.ts';
import type { LeverCall } from '../engine/journal.ts';
import type { ControlOperationId } from '../operations/index.ts';
import type { Operation } from '../operations/operation.ts';
import type { HttpContext } from './context.ts';
import { masked, maskedText } from './log/masked.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The lever call that this request is, once it has written something. */
    lever: (LeverCall & { readonly operation: string; readonly body?: unknown; readonly params: object }) | null;
    /** The settings that it replaced. */
    replaced: object | null;
  }
}

/** Calls of the control plane that do not change the history of an account. */
const NO_LEVERS: ReadonlySet<string> = new Set<ControlOperationId>([
  'createDashboardLink',
  'reportDelivery',
  'saveSnapshot',
  'saveAutomaticSnapshot',
  'deleteSnapshot',
  'createMerchant',
  'deleteMerchant',
  'sendToReceiver',
  'createKey',
  'revokeKey',
  'reset',
  'restoreSnapshot',
]);

/** Names the request as the cause of the rows that it writes, and records it in the journal if it is a lever. */
export function createRequestVerbs({ engine, requestLog, realNow }: HttpContext) {
  const { journal } = engine;
  const begin = (
    request: FastifyRequest,
    account: Account | null,
    operation: string,
    body = request.body,
    params = request.params ?? {},
  ) => ({ ...journal.begin(account, realNow(), requestLog.latest()), operation, body, params });

  function causeOf(request: FastifyRequest) {
    const { operation } = request.routeOptions.config;
    if (operation?.scope) {
      request.logNumber ??= requestLog.nextNumber();
      return requestCause(request.logNumber);
    }
    request.lever ??= begin(request, accountOf(request), operation?.operationId ?? '');
    return leverCause(request.lever.operation, request.lever.number);
  }

  return {
    causeOf,
    /** The verbs, with the request as their cause. */
    by: (request: FastifyRequest): Verbs => engine.because(causeOf(request)),
    /**
     * The same for a step on the checkout pages, which counts as the lever of that name. `params` are those of the
     * lever, where the page has others.
     */
    asLever(request: FastifyRequest, account: Account, operation: string, body: object, params?: object): Verbs {
      request.lever ??= begin(request, account, operation, body, params);
      return engine.because(pageCause(operation, request.lever.number));
    },
    /** Runs after the answer. A refused lever is not recorded, nor one whose state has been replaced meanwhile. */
    note(request: FastifyRequest, status: number) {
      if (status >= 400 || isRehearsal(request.body) || request.generation !== journal.generation()) return;
      const { operation } = request.routeOptions.config;
      if (!request.lever && !(operation && isLever(operation))) return;
      const lever = request.lever ?? begin(request, accountOf(request), operation?.operationId ?? '');
      const params = Object.entries(lever.params as Record<string, string>);
      journal.note({
        ...lever,
        params: Object.fromEntries(params.map(([name, value]) => [name, maskedText(value)])),
        body: masked(withReplaced(lever.body, request.replaced)),
      });
    },
  };
}

/** A change of settings is recorded with the replaced values, which are not stored anywhere else. */
function withReplaced(body: unknown, replaced: object | null): unknown {
  if (replaced === null) return body ?? null;
  const changes = (body ?? {}) as object;
  const before = Object.entries(replaced).filter(([name]) => name in changes);
  return { ...changes, before: Object.fromEntries(before) };
}

/** A dry run changes nothing. */
const isRehearsal = (body: unknown) => (body as { dry_run?: unknown } | null | undefined)?.dry_run === true;

const accountOf = ({ principal }: FastifyRequest): Account | null => principal?.account ?? null;

const isLever = ({ method, auth, scope, operationId }: Operation) =>
  method !== 'GET' && auth !== 'none' && !scope && !NO_LEVERS.has(operationId);
