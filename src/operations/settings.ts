import type { TSchema } from 'typebox';
import * as Type from 'typebox';
import {
  ACCOUNT_SETTING_NAMES,
  type AccountSettings,
  ASSUMPTIONS,
  type Assumption,
  MERCHANT_PROFILE_NAMES,
  type MerchantProfile,
  PLATFORM_NAMES,
  type Platform,
  type Settings,
} from '../domain/assumptions.ts';
import { enveloped, ok, operation, ref, resource } from './operation.ts';
import { nullable, oneOf, STATE_CODE } from './schemas.ts';

const tag = 'Settings';

const stateCode = Type.String({ pattern: STATE_CODE, minLength: 2, maxLength: 2 });

/** The schema of one value in `domain/assumptions.ts`. */
function schemaOf(assumption: Assumption): TSchema {
  const description = assumption.note;
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

const schemasOf = (names: readonly (keyof typeof ASSUMPTIONS)[]) =>
  Object.fromEntries(names.map((name) => [name, schemaOf(ASSUMPTIONS[name])]));
const optional = <T>(names: readonly (keyof typeof ASSUMPTIONS)[], options: Type.TObjectOptions = {}) =>
  Type.Unsafe<T>(
    Type.Object(
      Object.fromEntries(Object.entries(schemasOf(names)).map(([name, schema]) => [name, Type.Optional(schema)])),
      options,
    ),
  );

const NAMES = [...ACCOUNT_SETTING_NAMES, ...MERCHANT_PROFILE_NAMES];

/** All values of decisions §2 that belong to an account or its merchant. */
const SettingsBody = resource(schemasOf(NAMES), {
  $id: 'Settings',
  description: 'Settings of an account and its merchant.',
});
export const SettingsInput = optional<Partial<Settings>>(NAMES, {
  $id: 'SettingsUpdate',
  description: 'Any of the settings.',
});
export const AccountSettingsInput = optional<Partial<AccountSettings>>(ACCOUNT_SETTING_NAMES, {
  $id: 'AccountSettings',
  description: 'Any of the settings of an account.',
});
export const MerchantProfileInput = optional<Partial<MerchantProfile>>(MERCHANT_PROFILE_NAMES);
export const MERCHANT_PROFILE = schemasOf(MERCHANT_PROFILE_NAMES);
export const PLATFORM = schemasOf(PLATFORM_NAMES);
export const PlatformInput = optional<Partial<Platform>>(PLATFORM_NAMES, {
  $id: 'PlatformUpdate',
  description: 'Any of the platform’s values.',
});

export const getSettings = operation({
  operationId: 'getSettings',
  method: 'GET',
  path: '/_sim/settings',
  auth: 'account',
  tag,
  summary: 'Read the settings of the account and its merchant',
  success: ok(enveloped('Settings'), 'The settings.'),
  refusals: [401],
});

export const updateSettings = operation({
  operationId: 'updateSettings',
  method: 'PATCH',
  path: '/_sim/settings',
  auth: 'account',
  tag,
  summary: 'Change settings',
  description:
    'Sessions and contracts keep the terms that they opened with: down payment, fee, schedule and deadline. Collection settings apply to contracts under way, too; a wait that has begun keeps its length.',
  body: ref('SettingsUpdate'),
  success: ok(enveloped('Settings'), 'All settings, changed.'),
  refusals: [401, 413, 415, 422],
});

export const SETTINGS_SCHEMAS = [SettingsBody, SettingsInput, AccountSettingsInput] as const;
export const SETTINGS_OPERATIONS = [getSettings, updateSettings] as const;
