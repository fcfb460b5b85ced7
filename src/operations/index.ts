import type { TSchema } from 'typebox';
import { BROWSE_OPERATIONS, BROWSE_SCHEMAS } from './browse.ts';
import { CLOCK_OPERATIONS, CLOCK_SCHEMAS } from './clock.ts';
import { CONTRACT_OPERATIONS, CONTRACT_SCHEMAS } from './contracts.ts';
import { COVERAGE_OPERATIONS, COVERAGE_SCHEMAS } from './coverage.ts';
import { EMAIL_OPERATIONS, EMAIL_SCHEMAS } from './emails.ts';
import { EVENT_OPERATIONS, EVENT_SCHEMAS } from './events.ts';
import { EXPLAIN_OPERATIONS, EXPLAIN_SCHEMAS } from './explain.ts';
import { FAULT_OPERATIONS, FAULT_SCHEMAS } from './faults.ts';
import { KEY_OPERATIONS, KEY_SCHEMAS } from './keys.ts';
import type { Operation } from './operation.ts';
import { REQUEST_OPERATIONS, REQUEST_SCHEMAS } from './requests.ts';
import { SERVICE_SCHEMAS } from './schemas.ts';
import { SERVICE_OPERATIONS } from './service.ts';
import { SESSION_OPERATIONS, SESSION_SCHEMAS } from './sessions.ts';
import { SETTINGS_OPERATIONS, SETTINGS_SCHEMAS } from './settings.ts';
import { WEBHOOK_OPERATIONS, WEBHOOK_SCHEMAS } from './webhooks.ts';
import { WORKSPACE_OPERATIONS, WORKSPACE_SCHEMAS } from './workspace.ts';

/** Every lever of the control plane (interface §3), in the order of its document. */
export const CONTROL_OPERATIONS = [
  ...CLOCK_OPERATIONS,
  ...SESSION_OPERATIONS,
  ...CONTRACT_OPERATIONS,
  ...EVENT_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  ...FAULT_OPERATIONS,
  ...COVERAGE_OPERATIONS,
  ...EMAIL_OPERATIONS,
  ...SETTINGS_OPERATIONS,
  ...KEY_OPERATIONS,
  ...REQUEST_OPERATIONS,
  ...EXPLAIN_OPERATIONS,
  ...WORKSPACE_OPERATIONS,
  ...BROWSE_OPERATIONS,
] as const satisfies readonly Operation[];
export type ControlOperationId = (typeof CONTROL_OPERATIONS)[number]['operationId'];

/** Every schema to which operations refer by name. */
export const NAMED = [
  ...SERVICE_SCHEMAS,
  ...CLOCK_SCHEMAS,
  ...SESSION_SCHEMAS,
  ...CONTRACT_SCHEMAS,
  ...EVENT_SCHEMAS,
  ...FAULT_SCHEMAS,
  ...WEBHOOK_SCHEMAS,
  ...COVERAGE_SCHEMAS,
  ...EMAIL_SCHEMAS,
  ...SETTINGS_SCHEMAS,
  ...KEY_SCHEMAS,
  ...REQUEST_SCHEMAS,
  ...EXPLAIN_SCHEMAS,
  ...WORKSPACE_SCHEMAS,
  ...BROWSE_SCHEMAS,
] as const;

const byName = new Map(NAMED.map((schema: TSchema & { readonly $id?: string }) => [schema.$id, schema]));

/** Resolves a reference. */
export const resolved = (schema: TSchema & { readonly $ref?: string }): TSchema => byName.get(schema.$ref) ?? schema;

export { SERVICE_OPERATIONS };
