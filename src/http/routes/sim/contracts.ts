import type { FastifyInstance } from 'fastify';
import type { Contract } from '../../../domain/contract.ts';
import type { Account } from '../../../domain/merchant.ts';
import {
  arrangeOutcomes,
  createContract,
  endContract,
  exportScenario,
  findContracts,
  getOutcomes,
  listAttempts,
  settleInstallment,
} from '../../../operations/contracts.ts';
import { contractView } from '../../answer/contract-view.ts';
import { pageOf, partOf } from '../../answer/list.ts';
import type { HttpContext } from '../../context.ts';
import { bodyOf } from '../../input/body.ts';
import { madeContractOf } from '../../input/contract.ts';
import { createRequestVerbs } from '../../request-verbs.ts';
import { serve } from '../../serve.ts';

/** What only a simulator shows or arranges about a contract. */
export function simContracts(app: FastifyInstance, ctx: HttpContext) {
  const { engine, store, views, courier, workspace } = ctx;
  const { by } = createRequestVerbs(ctx);
  const seen = contractView(ctx);
  const view = (account: Account, contract: Contract) => ({ data: seen(account, contract) });

  serve(app, findContracts, ({ account, query }) => {
    const { contracts } = store.of(account);
    const { limit, afterId } = pageOf(query, (reference) => engine.ownContract(account, reference).id);
    const wanted = {
      status: query.status ?? null,
      orderReference: query.order_reference ?? null,
      overdue: query.overdue === 'true',
    };
    return { data: contracts.list(limit, afterId, wanted).map((contract) => seen(account, contract)) };
  });

  serve(app, getOutcomes, ({ account, params }) => {
    const { outcomes } = engine.ownContract(account, params.reference);
    return { data: { outcomes } };
  });

  serve(app, createContract, ({ account, request }) =>
    view(account, by(request).makeContract(account, madeContractOf(bodyOf(request))(account))),
  );

  serve(app, listAttempts, ({ account, params, query }) => {
    const contract = engine.ownContract(account, params.reference);
    const newestFirst = store.of(account).attempts.list(contract).reverse();
    return { data: partOf(query, newestFirst, ({ reference }) => reference).map(views.attempt) };
  });

  serve(app, exportScenario, async ({ account, params }) => {
    const { reference } = engine.ownContract(account, params.reference);
    return { data: await workspace.scenario(reference) };
  });

  serve(app, arrangeOutcomes, ({ account, params, body, request }) => {
    const contract = engine.ownContract(account, params.reference);
    return { data: { outcomes: by(request).arrangeOutcomes(account, contract, body().outcomes).outcomes } };
  });

  serve(app, settleInstallment, async ({ account, params, query, request }) => {
    const contract = engine.ownContract(account, params.reference);
    const number = /^[1-9]\d{0,8}$/.test(params.number) ? Number(params.number) : 0;
    const settled = view(account, by(request).settle(account, contract, number));
    if (query.wait === 'true') await courier.drain(account.id);
    return settled;
  });

  serve(app, endContract, ({ account, params, request }) =>
    view(account, by(request).cancelContract(account, params.reference)),
  );
}
