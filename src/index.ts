import { refuseCertify, refuseScenario, refuseTrace, refuseVerify } from './call-options.ts';
import type { Certificate } from './certify/certificate.ts';
import type { CertifyOptions } from './certify/run.ts';
import { WEBHOOK_TIMEOUT_MS } from './domain/assumptions.ts';
import type { LayawayEvent } from './library/wire.ts';
import type { ScenarioOptions, ScenarioReport } from './scenario/run.ts';
import { createSimulator as start } from './simulator.ts';
import type { Simulator, SimulatorOptions } from './simulator-types.ts';
import { pause, realTime, waitingOn } from './time/real.ts';
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
export type { ChaosOptions } from './domain/chaos.ts';
export type { ClockLine, DeliveryLine, RequestLine } from './http/stream/watch-lines.ts';
export { type Client, createClient } from './library/client.ts';
export { mergeCoverage } from './library/coverage.ts';
export type { Destination } from './library/levers/clock.ts';
export type { RequestFilter } from './library/levers/logs.ts';
export type { Customer } from './library/levers/sessions.ts';
export type { Waits } from './library/levers/waits.ts';
export { LayawayError } from './library/refused.ts';
export type { MerchantOptions, SandboxShop, Shop } from './library/shops.ts';
export type { TailOptions } from './library/tail.ts';
export type { Patience } from './library/wait.ts';
export type * from './library/wire.ts';
export { ScenarioError } from './scenario/error.ts';
export type { Difference as ScenarioDifference } from './scenario/match.ts';
export type { StepResult as ScenarioStep } from './scenario/result.ts';
export type { ScenarioOptions, ScenarioReport } from './scenario/run.ts';
export type { Struck as ScenarioFault } from './scenario/stage.ts';
export type {
  InjectedRequest,
  InjectedResponse,
  Simulator,
  SimulatorOptions,
  StartEndpoint,
} from './simulator-types.ts';
export type { TraceDocument, TraceFailure } from './trace/file.ts';
export type { TraceSummary } from './trace/summary.ts';
export type { SmtpAddress } from './webhook/relay.ts';
export type { Mistake as ScenarioMistake } from './yaml.ts';
export { WebhookVerificationError };

/**
 * Starts a simulator, in memory and on a free port unless the options say otherwise (interface §4).
 * @throws CannotStart when an option is unknown or wrong, or when the port, the state directory or its database cannot
 * be used
 */
export const createSimulator: (options?: SimulatorOptions) => Promise<Simulator> = start;

/**
 * Returns the event in the body of a webhook if its headers prove that it was signed with `secret`, `whsec_…` (Standard
 * Webhooks 1.0). `body` must be the bytes as received. `headers` is a fetch `Headers` or an object, with names in any
 * case. The timestamp may differ from real time by `toleranceSeconds`, 300 by default.
 * @throws WebhookVerificationError whose `reason` says why
 * @throws TypeError when an option is unknown or wrong
 */
export const verifyWebhook = (
  body: string | Uint8Array,
  headers: Parameters<typeof verify>[1],
  secret: string,
  options: Omit<VerifyOptions, 'now'> = {},
): LayawayEvent => {
  refuseVerify(options);
  return verify(body, headers, secret, { ...options, now: realTime.now() }) as LayawayEvent;
};

/**
 * Plays a scenario and reports how each step went (interface §5). `source` is the path of a scenario file, or its
 * content as an object. A step that fails is part of the report and throws nothing.
 * @throws ScenarioError when the scenario is invalid: lists every mistake with its file, line and column
 * @throws TypeError when an option is unknown or wrong
 * @throws CannotStart when a part of `chaos` is unknown or wrong
 * @throws Error when the simulator given as `sim` does not answer or creates no merchant, or when `chaos` is given with it
 */
export const runScenario = async (source: string | object, options: ScenarioOptions = {}): Promise<ScenarioReport> => {
  refuseScenario(source, options);
  const scenarios = await import('./scenario/run.ts');
  return scenarios.runScenario(source, options, { start: createSimulator, waiting: waitingOn(realTime) });
};

/**
 * Examines a webhook receiver with genuine, forged, late, duplicate and out-of-order events (interface §10). A throw-away
 * merchant, in memory or on a running server, makes the contracts behind the events and is deleted at the end. Only the
 * receiver, and the account on which `checkout` opens sessions, keep anything. A check that fails is part of the
 * certificate and throws nothing.
 * @throws CertifyError when the examination cannot be made: its `code` says why
 * @throws the reason of `signal` when that aborts
 */
export const certify = async (options: CertifyOptions): Promise<Certificate> => {
  refuseCertify(options);
  const [examination, { createDeliver }, { signedHeaders: sign }, draws, { exchange }] = await Promise.all([
    import('./certify/run.ts'),
    import('./webhook/deliver.ts'),
    import('./webhook/sign.ts'),
    import('./secrets/draw.ts'),
    import('./exchange.ts'),
  ]);
  return examination.certify(options, {
    ...{ start: createSimulator, openPost: () => createDeliver(realTime.now), sign, exchange },
    waiting: { now: realTime.now, pause },
    draw: draws.randomSecret,
    derivedSecret: draws.defaultDraw.webhookSecret('account', 1),
    timeoutMs: WEBHOOK_TIMEOUT_MS,
  });
};

/**
 * Packs a trace into the bytes of a trace file, as `layaway trace save` writes it (interface §11).
 * @throws TypeError when `trace` is not a trace
 */
export const packTrace = async (trace: TraceDocument): Promise<Uint8Array> => {
  refuseTrace(trace, 'packTrace');
  return (await import('./trace/file.ts')).pack(trace);
};

/**
 * Reads the bytes of a trace file. `createSimulator({ trace })` shows the trace.
 * @throws TypeError when `bytes` is not a Uint8Array
 * @throws CannotStart when the bytes are not a trace, are damaged, or were saved by a newer version
 */
export const readTrace = async (bytes: Uint8Array): Promise<TraceDocument> => {
  if (!ArrayBuffer.isView(bytes)) {
    throw new TypeError(
      'readTrace needs the bytes of a trace file, as readFile returns them, not its path or a promise.',
    );
  }
  return (await import('./trace/file.ts')).unpack(bytes, 'The trace', VERSION);
};

/**
 * Counts what a trace holds and lists its ten latest requests.
 * @throws TypeError when `trace` is not a trace
 */
export const summarizeTrace = async (trace: TraceDocument): Promise<TraceSummary> => {
  refuseTrace(trace, 'summarizeTrace');
  return (await import('./trace/summary.ts')).summaryOf(trace);
};

/**
 * Makes a scenario that repeats the requests and levers of a trace and expects the same results: those of the contract
 * with this reference, otherwise all those of one account: the one with this client id, the one that the failure names or,
 * if it names none, the one that was used last.
 * @throws TypeError when `trace` is not a trace
 * @throws CannotStart when the trace holds nothing to repeat
 */
export const scenarioOfTrace = async (
  trace: TraceDocument,
  contract: string | null = null,
  clientId: string | null = null,
): Promise<object> => {
  refuseTrace(trace, 'scenarioOfTrace');
  return (await import('./trace/scenario.ts')).scenarioOf(trace, contract, clientId);
};
