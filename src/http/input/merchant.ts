import type * as Type from 'typebox';
import { type AccountSettings, refuseContradictions } from '../../domain/assumptions.ts';
import { INSTANT_FORM, parseInstant } from '../../domain/calendar.ts';
import { type Clock, withDefaults } from '../../domain/merchant.ts';
import { invalid } from '../../domain/refusal.ts';
import type { NewMerchant } from '../../engine/merchant.ts';
import { AccountSettingsInput } from '../../operations/settings.ts';
import { MerchantClock, MerchantCreate } from '../../operations/workspace.ts';
import { validateStrictly, within } from './validate.ts';

/**
 * Reads the description of a new merchant. Without a clock it gets one from `newClock`.
 * @throws Refusal `invalid`
 */
export function newMerchantOf(body: object, newClock: () => Clock): NewMerchant {
  const { clock, settings = {}, throw_away: _, ...profile } = validateStrictly(MerchantCreate, body);
  return {
    profile,
    settings: within('settings', () => consistentSettings(AccountSettingsInput, settings)),
    clock: clock ? within('clock', () => clockOf(clock)) : newClock(),
  };
}

/**
 * Reads the settings of new accounts.
 * @throws Refusal `invalid`, also when they contradict each other
 */
export function consistentSettings<T extends Partial<AccountSettings>>(schema: Type.TUnsafe<T>, body: object): T {
  const settings = validateStrictly(schema, body);
  refuseContradictions(withDefaults(settings));
  return settings;
}

function clockOf(body: object): Clock {
  const at = parseInstant(validateStrictly(MerchantClock, body).frozen_at);
  if (at === null) throw invalid('frozen_at', `The frozen at field must be ${INSTANT_FORM}.`);
  return { mode: 'frozen', at };
}
