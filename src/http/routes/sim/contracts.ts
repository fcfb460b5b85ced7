import type { FastifyInstance } from 'fastify';
import type { Contract } from '../../../domain/contract.ts';
import { bodyOf } from '../../body.ts';
import type { HttpContext } from '../../context.ts';
import { partOf } from '../../list.ts';
import { OutcomesInput } from '../../schemas.ts';
import { validateStrictly } from '../../validate.ts';

type ByReference = { Params: { reference: string } };

/** What only a simulator tells or arranges about a contract. */
export function simContracts(app: FastifyInstance, { engine, store, views }: HttpContext) {
  const view = (contract: Contract) => ({ data: views.contract(contract, store.installments.list(contract.id)) });

  app.get<ByReference & { Querystring: Record<string, unknown> }>(
    '/_sim/contracts/:reference/attempts',
    async ({ principal, params, query }) => {
      const contract = engine.ownContract(principal.account, params.reference);
      const newestFirst = store.attempts.list(contract.id).reverse();
      return { data: partOf(query, newestFirst, ({ reference }) => reference).map(views.attempt) };
    },
  );

  app.put<ByReference>('/_sim/contracts/:reference/outcomes', async (request) => {
    const { principal, params } = request;
    const contract = engine.ownContract(principal.account, params.reference);
    const { outcomes } = validateStrictly(OutcomesInput, bodyOf(request));
    return { data: { outcomes: engine.arrangeOutcomes(principal.account, contract, outcomes).outcomes } };
  });

  app.post<{ Params: { reference: string; number: string } }>(
    '/_sim/contracts/:reference/installments/:number/settle',
    async ({ principal, params }) => {
      const contract = engine.ownContract(principal.account, params.reference);
      const number = /^[1-9]\d{0,8}$/.test(params.number) ? Number(params.number) : 0;
      return view(engine.settle(principal.account, contract, number));
    },
  );
}
