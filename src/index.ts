import { realTime } from './time/real.ts';
import { type VerifyOptions, verify, WebhookVerificationError } from './webhook/verify.ts';

export { CannotStart } from './domain/cannot-start.ts';
export { createSimulator, type SandboxShop, type Shop, type Simulator, type SimulatorOptions } from './simulator.ts';
export { WebhookVerificationError };

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
) => verify(body, headers, secret, { ...options, now: realTime.now() });
