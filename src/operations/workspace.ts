import * as Type from 'typebox';
import { UNDOABLE } from '../domain/automatic-snapshot.ts';
import type { TraceState } from '../domain/trace.ts';
import { ListQuery, listQuery } from './list-query.ts';
import {
  created,
  enveloped,
  input,
  listed,
  NOTHING,
  named,
  ok,
  operation,
  ref,
  refOrNull,
  resource,
} from './operation.ts';
import { flag, instant, nullable, oneOf, SNAPSHOT_NAME, text } from './schemas.ts';
import { MERCHANT_PROFILE, MerchantProfileInput, PLATFORM, PlatformInput } from './settings.ts';
import { headers, RECEIVER_URL } from './webhooks.ts';
import type { Wire } from './wire.ts';

const tag = 'Workspace';

export const MerchantAccount = named('MerchantAccount', 'One half of a merchant: its sandbox or its live account.', {
  client_id: Type.String(),
  webhook_secret: text('The signing secret of its endpoints that have no secret of their own.'),
  api_key: Type.Optional(text('On creation only.')),
});
export const MerchantRecord = named('MerchantRecord', 'A merchant and its two accounts.', {
  id: Type.String(),
  ...MERCHANT_PROFILE,
  sandbox: ref('MerchantAccount'),
  live: ref('MerchantAccount'),
});
export const MerchantClock = input('MerchantClock', 'The clock of a new merchant.', {
  frozen_at: Type.String({ description: 'An instant, ISO 8601.' }),
});
/** An object that is read on its own, after the fields around it. */
const part = <Name extends keyof Wire>(name: Name, description: string) =>
  Type.Optional(Type.Unsafe<Wire[Name]>({ type: 'object', ...Type.Ref(name), description }));
export const MerchantCreate = input('MerchantCreate', 'A new merchant.', {
  ...(MerchantProfileInput as unknown as ReturnType<typeof Type.Object>).properties,
  clock: part('MerchantClock', 'For both accounts; the server’s own start when absent.'),
  settings: part('AccountSettings', 'Of both accounts.'),
  throw_away: Type.Optional(
    flag(
      '`true`: a merchant in a workspace of its own, in the memory of the server. It is in no list, snapshot, trace or sum, has no rate limit, and can be deleted. It is also deleted after 10 minutes without a request from it, and when the server ends.',
    ),
  ),
});
export const ReceiverRequest = input('ReceiverRequest', 'A request to a webhook receiver, signed by the caller.', {
  url: RECEIVER_URL,
  method: Type.Optional(oneOf(['POST', 'GET'], { description: 'POST when absent. A GET has no body.' })),
  headers: Type.Optional(headers('Sent as they are, with the names as they are written.')),
  body: Type.Optional(text('Sent as it is.')),
  insecure: Type.Optional(flag('Accepts any certificate of an https receiver, such as a self-signed one.')),
});
export const ReceiverAnswer = named('ReceiverAnswer', 'What the receiver returned.', {
  status_code: nullable(Type.Integer({ description: 'Null when no response came.' })),
  duration_ms: Type.Number({ minimum: 0 }),
  error: nullable(text('Why there is no complete response.')),
  response_headers: headers('As received.'),
  response_body: nullable(text('The first KiB.')),
});
export const Platform = resource(PLATFORM, {
  $id: 'Platform',
  description: 'Values that apply to every merchant.',
});
export const Snapshot = named('Snapshot', 'The whole workspace, saved under a name.', {
  name: Type.String(),
  created_at: instant('Real time.'),
  bytes: Type.Integer({ minimum: 0 }),
});
const snapshotName = Type.String({
  pattern: SNAPSHOT_NAME,
  description: 'Lowercase letters, digits, `.`, `_` and `-`; at most 64 characters.',
});
export const SnapshotCreate = input('SnapshotCreate', 'The name of the snapshot.', {
  name: snapshotName,
  overwrite: Type.Optional(flag('`true`: replace one of that name.')),
});
export const SnapshotName = Type.Object({ name: snapshotName });
const SNAPSHOT = { name: 'The snapshot’s name.' };
export const AutomaticSnapshotCreate = input('AutomaticSnapshotCreate', 'What the user is about to do.', {
  before: oneOf(UNDOABLE),
});

/** Every operation can refuse it. It is listed only for operations that refuse nothing else. */
const FOREIGN = [403, 'The Host or the Origin header names another server.'] as const;
const MERCHANT = { id: 'The merchant’s id, `mer_…`.' };
const NO_MERCHANT = [404, 'No merchant has that id.'] as const;
const NOT_THROW_AWAY = [409, 'The merchant is not a throw-away merchant.'] as const;
const NO_SNAPSHOT = [404, 'No snapshot has that name.'] as const;

export const listMerchants = operation({
  operationId: 'listMerchants',
  method: 'GET',
  path: '/_sim/merchants',
  auth: 'workspace',
  tag,
  summary: 'List merchants, newest first',
  query: ListQuery,
  success: ok(listed('MerchantRecord'), 'The merchants, without keys.'),
  refusals: [401, 422],
});

export const createMerchant = operation({
  operationId: 'createMerchant',
  method: 'POST',
  path: '/_sim/merchants',
  auth: 'workspace',
  tag,
  summary: 'Create a merchant with a sandbox and a live account',
  body: ref('MerchantCreate'),
  success: created(enveloped('MerchantRecord'), 'The merchant with its keys, which are shown only once.'),
  refusals: [401, 413, 415, 422],
});

export const deleteMerchant = operation({
  operationId: 'deleteMerchant',
  method: 'DELETE',
  path: '/_sim/merchants/{id}',
  auth: 'workspace',
  tag,
  summary: 'Delete a throw-away merchant and all its data',
  params: MERCHANT,
  success: NOTHING,
  refusals: [401, NO_MERCHANT, NOT_THROW_AWAY],
});

export const sendToReceiver = operation({
  operationId: 'sendToReceiver',
  method: 'POST',
  path: '/_sim/merchants/{id}/send',
  auth: 'workspace',
  tag,
  summary: 'Send a request to a webhook receiver, for a throw-away merchant',
  description:
    'The server sends it as it sends deliveries, and records nothing. `layaway certify --endpoint` examines receivers with it.',
  params: MERCHANT,
  body: ref('ReceiverRequest'),
  success: ok(enveloped('ReceiverAnswer'), 'What the receiver returned, or why no response came.'),
  refusals: [401, NO_MERCHANT, NOT_THROW_AWAY, 413, 415, 422],
});

export const getPlatform = operation({
  operationId: 'getPlatform',
  method: 'GET',
  path: '/_sim/platform',
  auth: 'workspace',
  tag,
  summary: 'Read the values that apply to every merchant',
  success: ok(enveloped('Platform'), 'The platform.'),
  refusals: [401],
});

export const updatePlatform = operation({
  operationId: 'updatePlatform',
  method: 'PATCH',
  path: '/_sim/platform',
  auth: 'workspace',
  tag,
  summary: 'Change the values that apply to every merchant',
  body: ref('PlatformUpdate'),
  success: ok(enveloped('Platform'), 'The platform, changed.'),
  refusals: [401, 413, 415, 422],
});

export const listSnapshots = operation({
  operationId: 'listSnapshots',
  method: 'GET',
  path: '/_sim/snapshots',
  auth: 'workspace',
  tag,
  summary: 'List snapshots, newest first',
  query: listQuery({
    automatic: Type.Optional(
      oneOf(['true', 'false'], {
        description: '`true`: those that the dashboard saved by itself. Otherwise those that people saved.',
      }),
    ),
  }),
  success: ok(listed('Snapshot'), 'The snapshots.'),
  refusals: [401, 422],
});

export const saveSnapshot = operation({
  operationId: 'saveSnapshot',
  method: 'POST',
  path: '/_sim/snapshots',
  auth: 'workspace',
  tag,
  summary: 'Save the whole workspace under a name',
  body: ref('SnapshotCreate'),
  success: created(enveloped('Snapshot'), 'The snapshot.'),
  refusals: [
    401,
    [409, 'The name is taken, the state is damaged and would replace a snapshot, or the state directory was removed.'],
    413,
    415,
    422,
  ],
});

export const saveAutomaticSnapshot = operation({
  operationId: 'saveAutomaticSnapshot',
  method: 'POST',
  path: '/_sim/snapshots/automatic',
  auth: 'workspace',
  tag,
  summary: 'Save the whole workspace under an automatic name, to undo what comes next',
  description:
    'The dashboard does so before a clock move, a restore and a reset. The latest five are kept. Before a clock move, a state of more than 64 MiB is not saved, because that would take too long.',
  body: ref('AutomaticSnapshotCreate'),
  success: ok(resource({ data: refOrNull('Snapshot') }), 'The snapshot; null when the state is too large.'),
  refusals: [401, [409, 'The state directory was removed.'], 413, 415, 422],
});

export const restoreSnapshot = operation({
  operationId: 'restoreSnapshot',
  method: 'POST',
  path: '/_sim/snapshots/{name}/restore',
  auth: 'workspace',
  tag,
  summary: 'Restore the workspace from a snapshot',
  params: SNAPSHOT,
  success: ok(enveloped('Snapshot'), 'The snapshot.'),
  refusals: [401, NO_SNAPSHOT, [409, 'The snapshot cannot be used.'], 422],
});

export const deleteSnapshot = operation({
  operationId: 'deleteSnapshot',
  method: 'DELETE',
  path: '/_sim/snapshots/{name}',
  auth: 'workspace',
  tag,
  summary: 'Delete a snapshot',
  params: SNAPSHOT,
  success: NOTHING,
  refusals: [401, NO_SNAPSHOT, [409, 'The folder of the snapshots is read-only.'], 422],
});

export const reset = operation({
  operationId: 'reset',
  method: 'POST',
  path: '/_sim/reset',
  auth: 'workspace',
  tag,
  summary: 'Return the workspace to its initial state',
  description: 'Snapshots are kept.',
  success: ok(resource({ data: resource({ reset: Type.Boolean() }) }), 'Done.'),
  refusals: [401, [422, 'A contract of the fixture is not possible at this instant of the clock.']],
});

export const createDashboardLink = operation({
  operationId: 'createDashboardLink',
  method: 'POST',
  path: '/_sim/dashboard-links',
  auth: 'workspace',
  tag,
  summary: 'Create a link that opens the dashboard once',
  success: created(resource({ data: resource({ url: Type.String() }) }), 'The link.'),
  refusals: [401],
});

export const exportTrace = operation({
  operationId: 'exportTrace',
  method: 'GET',
  path: '/_sim/trace',
  auth: 'workspace',
  tag,
  summary: 'Read the whole workspace as one document, without keys and secrets',
  success: ok(resource({ data: Type.Unsafe<TraceState>({ type: 'object' }) }), 'The state, for a trace file.'),
  refusals: [401, [409, 'The state is too large for a trace.']],
});

export const getHealth = operation({
  operationId: 'getHealth',
  method: 'GET',
  path: '/_sim/health',
  ignoresUnknown: true,
  auth: 'none',
  tag,
  summary: 'Check that the server is listening',
  success: ok(resource({ status: oneOf(['ok']), version: Type.String() }), 'The server is listening.'),
  refusals: [FOREIGN],
});

export const getControlDocument = operation({
  operationId: 'getControlDocument',
  method: 'GET',
  path: '/_sim/openapi.json',
  auth: 'none',
  tag,
  summary: 'Read this document',
  success: ok(Type.Unsafe<object>({ type: 'object' }), 'OpenAPI 3.1.0.'),
  refusals: [FOREIGN],
});

export const WORKSPACE_SCHEMAS = [
  MerchantAccount,
  MerchantRecord,
  MerchantClock,
  MerchantCreate,
  ReceiverRequest,
  ReceiverAnswer,
  Platform,
  PlatformInput,
  Snapshot,
  SnapshotCreate,
  AutomaticSnapshotCreate,
] as const;
export const WORKSPACE_OPERATIONS = [
  listMerchants,
  createMerchant,
  deleteMerchant,
  sendToReceiver,
  getPlatform,
  updatePlatform,
  listSnapshots,
  saveSnapshot,
  saveAutomaticSnapshot,
  restoreSnapshot,
  deleteSnapshot,
  reset,
  createDashboardLink,
  exportTrace,
  getHealth,
  getControlDocument,
] as const;
