import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Platform } from '../../../domain/availability.ts';
import { INSTANT_FORM, parseInstant } from '../../../domain/calendar.ts';
import type { Account, Clock, Merchant } from '../../../domain/merchant.ts';
import { invalid } from '../../../domain/refusal.ts';
import type { NewAccount, NewMerchant } from '../../../engine/merchant.ts';
import { bodyOf } from '../../body.ts';
import type { HttpContext } from '../../context.ts';
import { partOf } from '../../list.ts';
import {
  AccountSettingsInput,
  consistentSettings,
  MerchantProfileInput,
  PlatformInput,
  platformView,
} from '../../settings-schema.ts';
import { validateStrictly, within } from '../../validate.ts';

const ClockInput = Type.Object({ frozen_at: Type.String() });
const part = Type.Optional(Type.Unsafe<object>({ type: 'object' }));
const MerchantInput = Type.Object({
  ...(MerchantProfileInput as unknown as ReturnType<typeof Type.Object>).properties,
  clock: part,
  settings: part,
});

/** Workspace levers: merchants and the platform. */
export function simMerchants(app: FastifyInstance, { engine, store, news, newClock }: HttpContext) {
  app.get<{ Querystring: Record<string, unknown> }>('/_sim/merchants', async ({ query }) => {
    const shown = partOf(query, store.merchants.list(), ({ token }) => token);
    return {
      data: shown.map((merchant) =>
        merchantView(merchant, (mode) => accountView(store.accounts.ofMerchant(merchant.id, mode))),
      ),
    };
  });

  app.post('/_sim/merchants', async (request, reply) => {
    const created = engine.createMerchant(newMerchantOf(bodyOf(request), newClock));
    news.tellAll();
    return reply.code(201).send({ data: merchantView(created.merchant, (mode) => newAccountView(created[mode])) });
  });

  app.get('/_sim/platform', async () => ({ data: platformView(store.workspace.platform()) }));

  app.patch('/_sim/platform', async (request) => {
    const platform = engine.changePlatform(platformChangesOf(bodyOf(request)));
    news.tellAll();
    return { data: platformView(platform) };
  });
}

/**
 * A new merchant as somebody describes it; without a clock of its own it gets one of `newClock`.
 * @throws Refusal `invalid`
 */
export function newMerchantOf(body: object, newClock: () => Clock): NewMerchant {
  const { clock, settings = {}, ...profile } = validateStrictly(MerchantInput, body);
  return {
    profile,
    settings: within('settings', () => consistentSettings(AccountSettingsInput, settings)),
    clock: clock ? within('clock', () => clockOf(clock)) : newClock(),
  };
}

/** @throws Refusal `invalid` */
export function platformChangesOf(body: object): Partial<Platform> {
  const { disabled, unavailable_states: unavailableStates } = validateStrictly(PlatformInput, body);
  return {
    ...(disabled === undefined ? {} : { disabled }),
    ...(unavailableStates === undefined ? {} : { unavailableStates }),
  };
}

function clockOf(body: object): Clock {
  const at = parseInstant(validateStrictly(ClockInput, body).frozen_at);
  if (at === null) throw invalid('frozen_at', `The frozen at field must be ${INSTANT_FORM}.`);
  return { mode: 'frozen', at };
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
