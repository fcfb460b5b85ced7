import type { Certificate } from './certify/certificate.ts';
import type { CertifyOptions } from './certify/run.ts';
import { SERVER_DEFAULTS } from './domain/assumptions.ts';
import type { LayawayEvent } from './library/wire.ts';
import type { ScenarioOptions, ScenarioReport } from './scenario/run.ts';
import { createSimulator as start } from './simulator.ts';
import type { Simulator, SimulatorOptions } from './simulator-types.ts';
import { pause, realTime } from './time/real.ts';
import type { TraceDocument } from './trace/file.ts';
import type { TraceSummary } from './trace/summary.ts';
import { VERSION } from './version.ts';
import { type VerifyOptions, verify, WebhookVerificationError } from './webhook/verify.ts';

export type { Certificate, CertifyCheck, CertifyExchange } from './certify/certificate.ts';
export { isCertified } from './certify/certificate.ts';
export { CertifyError } from './certify/error.ts';
export type { CertifyOptions } from './certify/run.ts';
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
export type { TraceDocument, TraceFailure } from './trace/file.ts';
export type { TraceSummary } from './trace/summary.ts';
export { WebhookVerificationError };

/**
 * Starts a simulator.
 * @throws CannotStart when the port, the directory or its database is in the way
 */
export const createSimulator: (options?: SimulatorOptions) => Promise<Simulator> = start;

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

/**
 * Examines a webhook receiver: genuine, forged, late, repeated and unordered events, as interface §10 lists them. The
 * contracts behind the events are made in memory or on a running server and deleted at the end. Only the receiver keeps
 * anything of the examination.
 * @throws CertifyError when the examination cannot be made
 */
export const certify = async (options: CertifyOptions): Promise<Certificate> => {
  const [examination, { createDeliver, isAbsent }, { signedHeaders: sign }, draws, { exchange }] = await Promise.all([
    import('./certify/run.ts'),
    import('./webhook/deliver.ts'),
    import('./webhook/sign.ts'),
    import('./secrets/draw.ts'),
    import('./exchange.ts'),
  ]);
  return examination.certify(options, {
    ...{ start: createSimulator, openPost: () => createDeliver(realTime.now), isAbsent, sign, exchange },
    waiting: { now: realTime.now, pause },
    draw: draws.randomSecret,
    derivedSecret: draws.defaultDraw.webhookSecret('account', 1),
    timeoutMs: SERVER_DEFAULTS.webhook_timeout_seconds * 1000,
  });
};

/** A trace as one file's bytes (`layaway trace save`). */
export const packTrace = async (trace: TraceDocument): Promise<Uint8Array> =>
  (await import('./trace/file.ts')).pack(trace);

/**
 * The trace in a file's bytes; `createSimulator({ trace })` shows it.
 * @throws when it is damaged, or was saved by a newer version
 */
export const readTrace = async (bytes: Uint8Array): Promise<TraceDocument> =>
  (await import('./trace/file.ts')).unpack(bytes, 'The trace', VERSION);

/** What a trace holds, in figures and the latest requests. */
export const summarizeTrace = async (trace: TraceDocument): Promise<TraceSummary> =>
  (await import('./trace/summary.ts')).summaryOf(trace);

/** A scenario that plays a trace's requests and levers again and expects what happened: all, or those of one contract. */
export const scenarioOfTrace = async (trace: TraceDocument, contract: string | null = null): Promise<object> =>
  (await import('./trace/scenario.ts')).scenarioOf(trace, contract);
