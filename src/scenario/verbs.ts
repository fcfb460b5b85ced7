import type { AnyInput } from '../library/client.ts';
import { advanceClock } from '../operations/clock.ts';
import { arrangeOutcomes, createContract } from '../operations/contracts.ts';
import { addFault } from '../operations/faults.ts';
import type { Operation, Params } from '../operations/operation.ts';
import { EXAMPLE_URLS } from '../operations/schemas.ts';
import { cancelContract, createSession, updateContract } from '../operations/service.ts';
import {
  acceptPlan,
  cancelCheckout,
  completeCheckout,
  payCartCapture,
  previewSession,
} from '../operations/sessions.ts';
import { updateSettings } from '../operations/settings.ts';
import { createWebhookEndpoint } from '../operations/webhooks.ts';
import { updatePlatform } from '../operations/workspace.ts';
import type { StepInput, Verb } from './schema.ts';

export interface Call extends AnyInput {
  readonly operation: Operation;
}

/** Steps that call one operation: what each sends, once `${…}` is replaced. */
type Sends = {
  readonly [V in Exclude<Verb, 'receiver' | 'request' | 'settle' | 'wait'>]: (input: StepInput<V>) => Call;
};

/** Sends the body as written in the file, so that the service refuses an invalid one. */
const call = <O extends Operation>(operation: O, params: Params<O>, body?: object): Call => ({
  operation,
  params,
  body,
});

export const SENDS: Sends = {
  'create-session': ({ idempotency_key: key, preview, ...order }) => {
    const body = { ...EXAMPLE_URLS, ...order };
    if (preview) return call(previewSession, {}, { ...body, preview });
    return { ...call(createSession, {}, body), ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }) };
  },
  accept: ({ session: id, ...body }) => call(acceptPlan, { id }, body),
  pay: ({ session: id, ...body }) => call(payCartCapture, { id }, body),
  'complete-checkout': ({ session: id, ...body }) => call(completeCheckout, { id }, body),
  'cancel-checkout': ({ session: id }) => call(cancelCheckout, { id }),
  outcomes: ({ contract: reference, outcomes }) => call(arrangeOutcomes, { reference }, { outcomes }),
  'create-contract': (wanted) => call(createContract, {}, wanted),
  'cancel-contract': ({ contract: reference }) => call(cancelContract, { reference }),
  'update-contract': ({ contract: reference, ...changes }) => call(updateContract, { reference }, changes),
  advance: (destination) => call(advanceClock, {}, destination),
  settings: (changes) => call(updateSettings, {}, changes),
  platform: (changes) => call(updatePlatform, {}, changes),
  fault: (fault) => call(addFault, {}, fault),
  endpoint: (endpoint) => call(createWebhookEndpoint, {}, endpoint),
};
