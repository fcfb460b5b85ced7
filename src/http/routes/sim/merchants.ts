import type { FastifyInstance } from 'fastify';
import type { Platform } from '../../../domain/availability.ts';
import type { Account, Merchant } from '../../../domain/merchant.ts';
import type { NewAccount } from '../../../engine/merchant.ts';
import { createMerchant, getPlatform, listMerchants, updatePlatform } from '../../../operations/workspace.ts';
import { partOf } from '../../answer/list.ts';
import type { HttpContext } from '../../context.ts';
import { bodyOf } from '../../input/body.ts';
import { newMerchantOf, platformChangesOf } from '../../input/merchant.ts';
import { serve } from '../../serve.ts';

/** Workspace levers: merchants and the platform. */
export function simMerchants(app: FastifyInstance, { engine, store, news, workspace }: HttpContext) {
  serve(app, listMerchants, ({ query }) => {
    const shown = partOf(query, store.merchants.list(), ({ token }) => token);
    return {
      data: shown.map((merchant) =>
        merchantView(merchant, (mode) => accountView(store.accounts.ofMerchant(merchant.id, mode))),
      ),
    };
  });

  serve(app, createMerchant, ({ request }) => {
    const created = engine.createMerchant(newMerchantOf(bodyOf(request), workspace.newClock));
    news.tellAll();
    return { data: merchantView(created.merchant, (mode) => newAccountView(created[mode])) };
  });

  serve(app, getPlatform, () => ({ data: platformView(store.workspace.platform()) }));

  serve(app, updatePlatform, ({ request }) => {
    const platform = engine.changePlatform(platformChangesOf(bodyOf(request)));
    news.tellAll();
    return { data: platformView(platform) };
  });
}

const platformView = ({ disabled, unavailableStates }: Platform) => ({
  disabled,
  unavailable_states: unavailableStates,
});

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
