import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Contract } from '../../../domain/contract.ts';
import type { Installment } from '../../../domain/installment.ts';
import { bodyOf } from '../../body.ts';
import type { HttpContext } from '../../context.ts';
import { route } from '../../operation.ts';
import { pageQuery, paginate } from '../../paginate.ts';
import { ContractListQuery, ContractUpdate, enveloped, resource } from '../../schemas.ts';
import { validate } from '../../validate.ts';

type ByReference = { Params: { reference: string } };

const tag = 'Contracts';
const params = Type.Object({ reference: Type.String({ description: 'The agreement’s public reference, `LAY-…`.' }) });

/** §4.5 to §4.8 */
export function contracts(app: FastifyInstance, { engine, store, views, settings, base }: HttpContext) {
  const view = (contract: Contract) => views.contract(contract, store.installments.list(contract.id));

  const list = route({
    operationId: 'listContracts',
    summary: 'List contracts, newest first',
    description:
      'A sandbox key lists sandbox contracts, a live key live ones. Contracts born from dashboard checkout previews never appear.',
    tag,
    scope: 'contracts:read',
    querystring: ContractListQuery,
    success: {
      status: 200,
      schema: resource({
        data: Type.Array(Type.Ref('Contract')),
        links: Type.Ref('PageLinks'),
        meta: Type.Ref('PageMeta'),
      }),
      description: 'One page.',
    },
    refusals: [401, 403, [422, Type.Ref('ValidationError'), 'The `status` or the `page` is invalid.'], 429],
  });
  app.get<{ Querystring: Record<string, unknown> }>('/v1/contracts', list, async ({ principal, query }) => {
    const size = settings.page_size;
    const { status, page } = pageQuery(query, size);
    const { contracts: found, total } = engine.listContracts(principal.account, { status, page, size });
    const path = `${base.url}/v1/contracts`;
    return { data: found.map(view), ...paginate({ path, query: { status }, page, size, total, count: found.length }) };
  });

  const read = route({
    operationId: 'getContract',
    summary: 'Read one contract with its full schedule',
    description:
      'Identified by the reference that webhooks carry. One of another merchant, or of the other mode, is not found.',
    tag,
    scope: 'contracts:read',
    params,
    success: { status: 200, schema: enveloped('Contract'), description: 'The contract.' },
    refusals: [401, 403, 404, 429],
  });
  const body = rendering(views.contract);
  app.get<ByReference>('/v1/contracts/:reference', read, async ({ principal, params: { reference } }, reply) => {
    const found = engine.readContract(principal.account, reference);
    return reply.type('application/json; charset=utf-8').send(body(found, store.installments.list(found.id)));
  });

  const update = route({
    operationId: 'updateContract',
    summary: 'Correct bookkeeping fields',
    description:
      'Replaces `order_reference`, `metadata`, or both. Money, status and the customer’s identity are not writable; other keys never reach the record.',
    tag,
    scope: 'contracts:write',
    params,
    body: Type.Ref('ContractUpdate'),
    success: { status: 200, schema: enveloped('Contract'), description: 'The updated contract.' },
    refusals: [401, 403, 404, 413, 415, [422, Type.Ref('ValidationError')], 429],
  });
  app.patch<ByReference>('/v1/contracts/:reference', update, async (request) => {
    const { account } = request.principal;
    const contract = engine.readContract(account, request.params.reference);
    const books = validate(ContractUpdate, bodyOf(request));
    return { data: view(engine.updateContract(account, contract, books)) };
  });

  const cancel = route({
    operationId: 'cancelContract',
    summary: 'End an active contract',
    description: [
      'No further installments are collected and nothing is refunded: paid installments stay paid, and what happens to that money is between merchant and customer. Cancelling again changes nothing.',
      '`contract.cancelled` is delivered to the subscribed webhook endpoints, and the merchant and the customer get an e-mail.',
    ].join('\n\n'),
    tag,
    scope: 'contracts:write',
    params,
    success: { status: 200, schema: enveloped('Contract'), description: 'The contract, now cancelled.' },
    refusals: [
      401,
      403,
      404,
      413,
      415,
      [
        422,
        Type.Union([Type.Ref('Error'), Type.Ref('ValidationError')]),
        'The contract is completed, defaulted or still pending; or a body was sent that is no JSON object.',
      ],
      429,
    ],
  });
  app.post<ByReference>('/v1/contracts/:reference/cancel', cancel, async ({ principal, params: { reference } }) => ({
    data: view(engine.cancelContract(principal.account, reference)),
  }));
}

/** The body of a contract read, made once for each state: what is read again and again is often still the same. */
function rendering(view: HttpContext['views']['contract']) {
  const rendered = new WeakMap<Contract, { readonly installments: readonly Installment[]; readonly text: string }>();
  return (contract: Contract, installments: readonly Installment[]): string => {
    const last = rendered.get(contract);
    if (last?.installments === installments) return last.text;
    const text = JSON.stringify({ data: view(contract, installments) });
    rendered.set(contract, { installments, text });
    return text;
  };
}
