import type { FastifyInstance } from 'fastify';
import type { Contract } from '../../../domain/contract.ts';
import type { Account } from '../../../domain/merchant.ts';
import {
  arrangeOutcomes,
  createContract,
  endContract,
  listAttempts,
  settleInstallment,
} from '../../../operations/contracts.ts';
import { partOf } from '../../answer/list.ts';
import type { HttpContext } from '../../context.ts';
import { bodyOf } from '../../input/body.ts';
import { madeContractOf } from '../../input/contract.ts';
import { serve } from '../../serve.ts';

/** What only a simulator tells or arranges about a contract. */
export function simContracts(app: FastifyInstance, { engine, store, views }: HttpContext) {
  const view = (account: Account, contract: Contract) => ({
    data: views.contract(contract, store.of(account).installments.list(contract)),
  });

  serve(app, createContract, ({ account, request }) =>
    view(account, engine.makeContract(account, madeContractOf(bodyOf(request))(account))),
  );

  serve(app, listAttempts, ({ account, params, query }) => {
    const contract = engine.ownContract(account, params.reference);
    const newestFirst = store.of(account).attempts.list(contract).reverse();
    return { data: partOf(query, newestFirst, ({ reference }) => reference).map(views.attempt) };
  });

  serve(app, arrangeOutcomes, ({ account, params, body }) => {
    const contract = engine.ownContract(account, params.reference);
    return { data: { outcomes: engine.arrangeOutcomes(account, contract, body().outcomes).outcomes } };
  });

  serve(app, settleInstallment, ({ account, params }) => {
    const contract = engine.ownContract(account, params.reference);
    const number = /^[1-9]\d{0,8}$/.test(params.number) ? Number(params.number) : 0;
    return view(account, engine.settle(account, contract, number));
  });

  serve(app, endContract, ({ account, params }) => view(account, engine.cancelContract(account, params.reference)));
}
