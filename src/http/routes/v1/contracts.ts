import type { FastifyInstance } from 'fastify';
import type { Contract } from '../../../domain/contract.ts';
import type { Account } from '../../../domain/merchant.ts';
import { cancelContract, getContract, listContracts, updateContract } from '../../../operations/service.ts';
import { createActing } from '../../acting.ts';
import { paginate } from '../../answer/paginate.ts';
import type { HttpContext } from '../../context.ts';
import { serve } from '../../serve.ts';

/** §4.5 to §4.8 */
export function contracts(app: FastifyInstance, ctx: HttpContext) {
  const { engine, store, views, settings, base } = ctx;
  const { by } = createActing(ctx);
  const view = (account: Account, contract: Contract) =>
    views.contract(contract, store.of(account).installments.list(contract));

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

  const rendered = rendering(store, (account, contract) => JSON.stringify({ data: view(account, contract) }));
  serve(app, getContract, ({ account, params: { reference }, request, reply }) => {
    const found = engine.readContract(account, reference);
    request.shown = { contracts: [{ status: found.status, installments: store.of(account).installments.list(found) }] };
    return reply.type('application/json; charset=utf-8').send(rendered(account, found)) as never;
  });

  serve(app, updateContract, ({ account, params, body, request }) => {
    const contract = engine.readContract(account, params.reference);
    return { data: view(account, by(request).updateContract(account, contract, body())) };
  });

  serve(app, cancelContract, ({ account, params: { reference }, request }) => ({
    data: view(account, by(request).cancelContract(account, reference)),
  }));
}

/** How many bodies are cached. */
const KEPT = 1000;

/** Caches the body of a contract read for each state, because repeated reads often find no change. */
function rendering(store: HttpContext['store'], render: (account: Account, contract: Contract) => string) {
  const rendered = new Map<number, { readonly contract: number; readonly schedule: number; readonly text: string }>();
  return (account: Account, found: Contract): string => {
    const { contracts, installments } = store.of(account);
    const contract = contracts.revision(found);
    const schedule = installments.revision(found);
    const last = rendered.get(found.id);
    if (last && last.contract === contract && last.schedule === schedule) return last.text;
    if (rendered.size >= KEPT) rendered.clear();
    const text = render(account, found);
    rendered.set(found.id, { contract, schedule, text });
    return text;
  };
}
