import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Platform } from '../../../domain/availability.ts';
import { parseInstant } from '../../../domain/calendar.ts';
import type { Account, Clock, Merchant } from '../../../domain/merchant.ts';
import { invalid } from '../../../domain/refusal.ts';
import type { NewAccount, NewMerchant } from '../../../engine/merchant.ts';
import { bodyOf } from '../../body.ts';
import type { HttpContext } from '../../context.ts';
import { partOf } from '../../list.ts';
import { AccountSettingsInput, MerchantProfileInput, PlatformInput, platformView } from '../../settings-schema.ts';
import { refuseUnknownKeys, validate } from '../../validate.ts';

const ClockInput = Type.Object({ frozen_at: Type.String() });
const MerchantInput = Type.Object({
  ...(MerchantProfileInput as unknown as ReturnType<typeof Type.Object>).properties,
  clock: Type.Optional(ClockInput),
  settings: Type.Optional(Type.Unsafe<object>({ type: 'object' })),
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
  refuseUnknownKeys(MerchantInput, body);
  const { clock, settings = {}, ...profile } = validate(MerchantInput, body);
  refuseUnknownKeys(AccountSettingsInput, settings);
  return {
    profile,
    settings: validate(AccountSettingsInput, settings),
    clock: clock ? frozenAt(clock.frozen_at) : newClock(),
  };
}

/** @throws Refusal `invalid` */
export function platformChangesOf(body: object): Partial<Platform> {
  refuseUnknownKeys(PlatformInput, body);
  const { disabled, unavailable_states: unavailableStates } = validate(PlatformInput, body);
  return {
    ...(disabled === undefined ? {} : { disabled }),
    ...(unavailableStates === undefined ? {} : { unavailableStates }),
  };
}

function frozenAt(text: string): Clock {
  const at = parseInstant(text);
  if (at === null) throw invalid('clock.frozen_at', 'The clock.frozen_at field must be an ISO 8601 instant.');
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
