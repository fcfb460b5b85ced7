import type { FastifyInstance } from 'fastify';
import { formatInstant } from '../../../domain/calendar.ts';
import { conflictOf, type Fault, type FaultRule, faultRule } from '../../../domain/faults.ts';
import type { Account } from '../../../domain/merchant.ts';
import { invalid } from '../../../domain/refusal.ts';
import * as operations from '../../../operations/faults.ts';
import type { Operation } from '../../../operations/operation.ts';
import { SERVICE_OPERATIONS } from '../../../operations/service.ts';
import type { Wire } from '../../../operations/wire.ts';
import { createActing } from '../../acting.ts';
import { pageOf } from '../../answer/list.ts';
import type { HttpContext } from '../../context.ts';
import { serve } from '../../serve.ts';

/** The faults of an account's requests and deliveries (interface §7). */
export function simFaults(app: FastifyInstance, ctx: HttpContext) {
  const { faults, store } = ctx;
  const { causeOf } = createActing(ctx);

  serve(app, operations.listFaults, ({ account, query }) => {
    const all = faults.list(account);
    const { limit, afterId } = pageOf(query, (token) => all.find((fault) => fault.token === token)?.id ?? null);
    const shown = afterId === null ? all : all.filter(({ id }) => id > afterId);
    return { data: shown.slice(0, limit).map(faultView) };
  });

  serve(app, operations.addFault, ({ account, body, request }) => {
    const input = body();
    const endpoint = input.endpoint_id ?? null;
    // A field that the kind does not take is refused before an endpoint that does not exist.
    faultRule(input, null);
    const rule = faultRule(input, endpoint === null ? null : endpointId(account, endpoint));
    checkFilters(rule);
    return { data: faultView(faults.add(account, rule, endpoint, causeOf(request))) };
  });

  serve(app, operations.clearFaults, ({ account }) => faults.clear(account));

  serve(app, operations.removeFault, ({ account, params }) => faults.remove(account, params.id));

  function endpointId(account: Account, token: string): number {
    const endpoint = store
      .of(account)
      .endpoints.list()
      .find((candidate) => candidate.token === token);
    if (!endpoint) throw invalid('endpoint_id', 'The selected endpoint id is invalid.');
    return endpoint.id;
  }
}

/** Faults strike only requests with valid credentials. */
const WITH_KEY = SERVICE_OPERATIONS.filter(({ scope }: Operation) => scope !== undefined);

/** @throws Refusal `invalid` if no request can pass the filters, so that the fault would never strike */
function checkFilters(rule: FaultRule) {
  if (rule.operation === null) return checkAddress(rule);
  const operation = WITH_KEY.find(({ operationId }) => operationId === rule.operation);
  if (!operation) {
    throw invalid('operation', `The operation ${rule.operation} takes no credentials, so no fault strikes it.`);
  }
  const conflict = conflictOf(rule, operation);
  if (!conflict) return;
  const { method, path } = operation;
  throw invalid(
    conflict,
    `The ${conflict} field does not fit the operation ${rule.operation}, which is ${method} ${path}.`,
  );
}

function checkAddress({ method, path }: FaultRule) {
  const fits = (filters: Pick<FaultRule, 'method' | 'path'>) =>
    WITH_KEY.some((operation) => conflictOf(filters, operation) === null);
  if (!fits({ method: null, path })) {
    throw invalid('path', 'The path field fits no operation that takes credentials.');
  }
  if (!fits({ method, path })) {
    throw invalid('method', 'The method field fits no operation at that path that takes credentials.');
  }
}

const faultView = (fault: Fault) => ({
  id: fault.token,
  kind: fault.kind,
  operation: fault.operation as Wire['Fault']['operation'],
  method: fault.method as Wire['Fault']['method'],
  path: fault.path,
  event: fault.event as Wire['Fault']['event'],
  endpoint_id: fault.endpoint,
  times: fault.times,
  skip: fault.skip,
  every: fault.every,
  status: fault.status,
  retry_after: fault.retryAfter,
  delay_ms: fault.delayMs,
  by: fault.by,
  copies: fault.copies,
  met: fault.met,
  created_at: formatInstant(fault.createdAt),
});
