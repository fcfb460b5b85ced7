import Type, { type TSchema } from 'typebox';
import {
  ACCOUNT_SETTING_NAMES,
  type AccountSettings,
  ASSUMPTIONS,
  type Assumption,
  MERCHANT_PROFILE_NAMES,
  type MerchantProfile,
  refuseContradictions,
  type Settings,
} from '../domain/assumptions.ts';
import type { Platform } from '../domain/availability.ts';
import { withDefaults } from '../domain/merchant.ts';
import { nullable, oneOf } from './schemas.ts';
import { validateStrictly } from './validate.ts';

const stateCode = Type.String({ pattern: '^[A-Z]{2}$', minLength: 2, maxLength: 2 });

/** The schema of one decided value, from its entry in `domain/assumptions.ts`. */
function schemaOf(assumption: Assumption): TSchema {
  const description = `${assumption.note} (completes ${assumption.completes})`;
  switch (assumption.kind) {
    case 'integer':
      return Type.Integer({ minimum: assumption.min, maximum: assumption.max, description });
    case 'boolean':
      return Type.Boolean({ description });
    case 'choice':
      return oneOf(assumption.values, { description });
    case 'state':
      return Type.String({ ...stateCode, description });
    case 'states':
      return Type.Array(stateCode, { maxItems: 100, description });
    case 'seconds':
      return Type.Array(Type.Integer({ minimum: 0, maximum: assumption.max }), {
        minItems: 1,
        maxItems: 20,
        description,
      });
    case 'email':
      return Type.String({ format: 'email', maxLength: assumption.max, description });
    case 'text': {
      const text = Type.String({ minLength: 1, maxLength: assumption.max, description });
      return assumption.nullable ? nullable(text) : text;
    }
  }
}

const optional = <T>(names: readonly (keyof typeof ASSUMPTIONS)[]) =>
  Type.Unsafe<T>(
    Type.Object(Object.fromEntries(names.map((name) => [name, Type.Optional(schemaOf(ASSUMPTIONS[name]))]))),
  );

/** Any of the names of decisions §2, of the account and of its merchant. */
export const SettingsInput = optional<Partial<Settings>>([...ACCOUNT_SETTING_NAMES, ...MERCHANT_PROFILE_NAMES]);
export const AccountSettingsInput = optional<Partial<AccountSettings>>(ACCOUNT_SETTING_NAMES);
export const MerchantProfileInput = optional<Partial<MerchantProfile>>(MERCHANT_PROFILE_NAMES);

/**
 * Settings for accounts that have none yet.
 * @throws Refusal `invalid`, also when they contradict each other
 */
export function consistentSettings<T extends Partial<AccountSettings>>(schema: Type.TUnsafe<T>, body: object): T {
  const settings = validateStrictly(schema, body);
  refuseContradictions(withDefaults(settings));
  return settings;
}

export const PlatformInput = Type.Unsafe<{ disabled?: boolean; unavailable_states?: string[] }>(
  Type.Object({
    disabled: Type.Optional(schemaOf(ASSUMPTIONS.disabled)),
    unavailable_states: Type.Optional(schemaOf(ASSUMPTIONS.unavailable_states)),
  }),
);

export const platformView = ({ disabled, unavailableStates }: Platform) => ({
  disabled,
  unavailable_states: unavailableStates,
});
