import type { FastifyInstance } from 'fastify';
import type { Account, Merchant } from '../../../domain/merchant.ts';
import { invalid } from '../../../domain/refusal.ts';
import type { NewAccount } from '../../../engine/merchant.ts';
import { wrongPart } from '../../../headers.ts';
import {
  createMerchant,
  deleteMerchant,
  getPlatform,
  listMerchants,
  sendToReceiver,
  updatePlatform,
} from '../../../operations/workspace.ts';
import { partOf } from '../../answer/list.ts';
import type { HttpContext } from '../../context.ts';
import { bodyOf } from '../../input/body.ts';
import { newMerchantOf } from '../../input/merchant.ts';
import { createRequestVerbs } from '../../request-verbs.ts';
import { serve } from '../../serve.ts';

/** Workspace levers: merchants and the platform. */
export function simMerchants(app: FastifyInstance, ctx: HttpContext) {
  const { engine, store, notifier, workspace, throwAways } = ctx;
  const { by } = createRequestVerbs(ctx);

  serve(app, listMerchants, ({ query }) => {
    const shown = partOf(query, store.merchants.list(), ({ token }) => token);
    return {
      data: shown.map((merchant) =>
        merchantView(merchant, (mode) => accountView(store.accounts.ofMerchant(merchant.id, mode))),
      ),
    };
  });

  serve(app, createMerchant, ({ request, body }) => {
    const wanted = newMerchantOf(bodyOf(request), workspace.newClock);
    const { throw_away: isThrowAway = false, ...asked } = body();
    if (isThrowAway) return throwAways.create(asked).then((data) => ({ data }));
    const created = engine.createMerchant(wanted);
    notifier.tellAll();
    return { data: merchantView(created.merchant, (mode) => newAccountView(created[mode])) };
  });

  serve(app, deleteMerchant, ({ params }) => throwAways.delete(params.id));

  serve(app, sendToReceiver, async ({ params, body }) => {
    const wanted = body();
    refuseUnsendable(wanted.headers);
    const { statusCode, durationMs, error, responseHeaders, responseBody } = await throwAways.send(params.id, wanted);
    return {
      data: {
        status_code: statusCode,
        duration_ms: durationMs,
        error,
        response_headers: responseHeaders,
        response_body: responseBody,
      },
    };
  });

  serve(app, getPlatform, () => ({ data: store.workspace.platform() }));

  serve(app, updatePlatform, ({ request, body }) => {
    const { before, after } = by(request).changePlatform(body());
    request.replaced = before;
    notifier.tellAll();
    return { data: after };
  });
}

/** @throws Refusal `invalid` for what no HTTP header may hold */
function refuseUnsendable(headers: Readonly<Record<string, string>> = {}) {
  for (const [name, value] of Object.entries(headers)) {
    if (wrongPart(name, value)) {
      throw invalid('headers', 'The headers field must contain names and values that HTTP allows.');
    }
  }
}

const merchantView = <T>(
  { token, legal_name, dba, state, email }: Merchant,
  account: (mode: 'sandbox' | 'live') => T,
) => ({
  id: token,
  legal_name,
  dba,
  state,
  email,
  sandbox: account('sandbox'),
  live: account('live'),
});

const accountView = ({ clientId, webhookSecret }: Account) => ({ client_id: clientId, webhook_secret: webhookSecret });
const newAccountView = ({ account, apiKey }: NewAccount) => ({ ...accountView(account), api_key: apiKey });
