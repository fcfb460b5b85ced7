import type { FastifyInstance } from 'fastify';
import { formatInstant } from '../../../domain/calendar.ts';
import { checkFilters, type Fault, faultRule } from '../../../domain/faults.ts';
import type { Account } from '../../../domain/merchant.ts';
import { invalid } from '../../../domain/refusal.ts';
import * as operations from '../../../operations/faults.ts';
import type { Wire } from '../../../operations/wire.ts';
import { pageOf } from '../../answer/list.ts';
import type { HttpContext } from '../../context.ts';
import { createRequestVerbs } from '../../request-verbs.ts';
import { serve } from '../../serve.ts';

/** The faults of an account's requests and deliveries (interface §7). */
export function simFaults(app: FastifyInstance, ctx: HttpContext) {
  const { faults, store } = ctx;
  const { causeOf } = createRequestVerbs(ctx);

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
    checkFilters(rule, operations.STRUCK_OPERATIONS);
    return { data: faultView(faults.add(account, rule, endpoint, causeOf(request))) };
  });

  serve(app, operations.clearFaults, ({ account }) => faults.clear(account));

  serve(app, operations.removeFault, ({ account, params }) => faults.remove(account, params.id));

  function endpointId(account: Account, token: string): number {
    const endpoint = store.of(account).endpoints.find(token);
    if (!endpoint) throw invalid('endpoint_id', 'The selected endpoint id is invalid.');
    return endpoint.id;
  }
}

const faultView = (fault: Fault) => ({
  id: fault.token,
  kind: fault.kind,
  operation: fault.operation as Wire['Fault']['operation'],
  method: fault.method,
  path: fault.path,
  event: fault.event,
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
