import type { LayawayEvent } from './library/wire.ts';
import type { ScenarioOptions, ScenarioReport } from './scenario/run.ts';
import { createSimulator } from './simulator.ts';
import { pause, realTime } from './time/real.ts';
import { type VerifyOptions, verify, WebhookVerificationError } from './webhook/verify.ts';

export { ASSUMPTIONS } from './domain/assumptions.ts';
export { CannotStart } from './domain/cannot-start.ts';
export { type Client, createClient } from './library/client.ts';
export { mergeCoverage } from './library/coverage.ts';
export { LayawayError } from './library/refused.ts';
export type { MerchantOptions, SandboxShop, Shop } from './library/shops.ts';
export type * from './library/wire.ts';
export { ScenarioError } from './scenario/error.ts';
export type { ScenarioOptions, ScenarioReport } from './scenario/run.ts';
export type { Simulator, SimulatorOptions } from './simulator-types.ts';
export { createSimulator, WebhookVerificationError };

/**
 * The event in a webhook's body, if its headers prove that it was signed with `secret` (Standard Webhooks 1.0).
 * `body` must be the bytes as they were received.
 * @throws WebhookVerificationError with a `reason`
 */
export const verifyWebhook = (
  body: string | Uint8Array,
  headers: Parameters<typeof verify>[1],
  secret: string,
  options: Omit<VerifyOptions, 'now'> = {},
): LayawayEvent => verify(body, headers, secret, { ...options, now: realTime.now() }) as LayawayEvent;

/**
 * Plays a scenario, a file or what one would hold, and answers with how each step went; one that fails is an answer, too.
 * @throws ScenarioError when the scenario itself is wrong, with every mistake and its file, line and column
 */
export const runScenario = async (source: string | object, options: ScenarioOptions = {}): Promise<ScenarioReport> => {
  const scenarios = await import('./scenario/run.ts');
  return scenarios.runScenario(source, options, { start: createSimulator, waiting: { now: realTime.now, pause } });
};
