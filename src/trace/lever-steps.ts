import { endContract } from '../operations/contracts.ts';
import type { ControlOperationId } from '../operations/index.ts';
import { openSession } from '../operations/sessions.ts';

export type Step = Readonly<Record<string, unknown>>;

/** What a lever was given. Null and an empty text mean the same as nothing, and not every field of a step takes them. */
const stated = (body: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null && value !== ''));

type Play = (
  subject: string,
  body: Readonly<Record<string, unknown>>,
  params: Readonly<Record<string, string>>,
) => Step | null;

/** The step for each lever; null for one that a scenario cannot repeat. */
export const PLAYED: Readonly<Record<string, Play>> = {
  acceptPlan: (session, { customer_name }) => ({ accept: { session, customer_name } }),
  payCartCapture: (session, { outcome = 'pay' }) => ({ pay: { session, outcome } }),
  completeCheckout: (session, body) => ({ 'complete-checkout': { session, ...body } }),
  cancelCheckout: (session) => ({ 'cancel-checkout': { session } }),
  arrangeOutcomes: (contract, { outcomes }) => ({ outcomes: { contract, outcomes } }),
  settleInstallment: (contract, _body, { number }) => ({ settle: { contract, installment: Number(number) } }),
  endContract: (contract) => ({ 'cancel-contract': { contract } }),
  createContract: (_subject, body) => ({ 'create-contract': stated(body) }),
  openSession: (_subject, body) => ({ 'create-session': stated(body) }),
  previewSession: (_subject, body) => ({ 'create-session': stated(body) }),
  updateSettings: (_subject, settings) => ({ settings }),
  updatePlatform: (_subject, platform) => ({ platform }),
} satisfies Partial<Record<ControlOperationId, Play>>;

/** The steps for levers that need no clearance, while the step that stands for them otherwise does. */
export const BARRED: Readonly<Record<string, Play>> = {
  openSession: (_subject, body) => ({ request: { method: openSession.method, path: openSession.path, body } }),
  endContract: (reference) => ({
    request: { method: endContract.method, path: endContract.path.replace('{reference}', reference) },
  }),
};
