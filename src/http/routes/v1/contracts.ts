import type { FastifyInstance } from 'fastify';
import type { Contract } from '../../../domain/contract.ts';
import type { Account } from '../../../domain/merchant.ts';
import { cancelContract, getContract, listContracts, updateContract } from '../../../operations/service.ts';
import { contractView } from '../../answer/contract-view.ts';
import { paginate } from '../../answer/paginate.ts';
import type { HttpContext } from '../../context.ts';
import { createRequestVerbs } from '../../request-verbs.ts';
import { serve } from '../../serve.ts';

/** §4.5 to §4.8 */
export function contracts(app: FastifyInstance, ctx: HttpContext) {
  const { engine, store, settings, base } = ctx;
  const { by } = createRequestVerbs(ctx);
  const view = contractView(ctx);

  serve(app, listContracts, ({ account, query: { status = null, page = 1 }, request }) => {
    const size = settings.page_size;
    const { contracts: found, total } = engine.listContracts(account, { status, page, size });
    const path = `${base.url}/v1/contracts`;
    const data = found.map((each) => view(account, each));
    request.shown = { contracts: data, page };
    return {
      data,
      ...paginate({ path, query: { status }, page, size, total, count: found.length }),
    };
  });

  serve(app, getContract, ({ account, params: { reference }, request, reply }) => {
    const { text, shown } =
      store.of(account).readings.find(reference) ?? readingOf(account, engine.readContract(account, reference));
    request.shown = { contracts: [shown] };
    return reply.type('application/json; charset=utf-8').send(text) as never;
  });

  function readingOf(account: Account, contract: Contract) {
    const { installments, readings } = store.of(account);
    const text = JSON.stringify({ data: view(account, contract) });
    return readings.keep(contract, {
      text,
      shown: { status: contract.status, installments: installments.list(contract) },
    });
  }

  serve(app, updateContract, ({ account, params, body, request }) => {
    const contract = engine.readContract(account, params.reference);
    return { data: view(account, by(request).updateContract(account, contract, body())) };
  });

  serve(app, cancelContract, ({ account, params: { reference }, request }) => ({
    data: view(account, by(request).cancelContract(account, reference)),
  }));
}
