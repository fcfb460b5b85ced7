import { CertifyError } from './certify/error.ts';
import type { CertifyOptions } from './certify/run.ts';
import { isRecord } from './domain/json.ts';
import { wrongPart } from './headers.ts';
import {
  ANY,
  CALLBACK,
  FLAG,
  type Form,
  isContent,
  isHeaders,
  isText,
  MAP,
  oneOf,
  refuseWrong,
  SEED,
  TEXT,
  TEXTS,
  TRACE,
  withFunctions,
  withTexts,
  wrongOption,
} from './options.ts';
import type { ScenarioOptions } from './scenario/run.ts';
import type { VerifyOptions } from './webhook/verify.ts';

const VERIFY_OPTIONS: Readonly<Record<keyof Omit<VerifyOptions, 'now'>, Form>> = {
  toleranceSeconds: { what: 'a number of at least 0', is: (value) => typeof value === 'number' && value >= 0 },
};

const SCENARIO_OPTIONS: Readonly<Record<keyof ScenarioOptions, Form>> = {
  seed: SEED,
  chaos: MAP,
  sim: withTexts('a running simulator, such as the one that createSimulator resolves with', 'url', 'controlToken'),
};

const areHeaders = (headers: unknown) =>
  isHeaders(headers) && Object.entries(headers).every(([name, value]) => wrongPart(name, value as string) === null);

const CERTIFY_OPTIONS: Readonly<Record<keyof CertifyOptions, Form>> = {
  // The examination itself says what a URL of a receiver looks like.
  url: ANY,
  secret: TEXT,
  observe: { what: 'a command, a URL or a function', is: (value) => isText(value) || CALLBACK.is(value) },
  checkout: { what: 'a command', is: isText },
  server: withTexts(
    'a running simulator, such as the one that createSimulator resolves with',
    'listening',
    'controlToken',
  ),
  sendsFrom: oneOf('server', 'here'),
  shop: {
    what: 'a shop, such as sim.default',
    is: (value) => isRecord(value) && [value.env, value.sessions, value.assumptions].every(isRecord),
  },
  mode: oneOf('sandbox', 'live'),
  liveSecret: TEXT,
  headers: { what: 'an object of names and values that HTTP allows', is: areHeaders },
  insecure: FLAG,
  only: TEXTS,
  skip: TEXTS,
  level: oneOf('must', 'should'),
  signal: withFunctions('an AbortSignal', 'throwIfAborted', 'addEventListener', 'removeEventListener'),
  onReached: CALLBACK,
  onCheck: CALLBACK,
};

/** @throws TypeError */
export const refuseVerify = (options: unknown): void => refuseWrong(options, VERIFY_OPTIONS, 'verifyWebhook');

/** @throws TypeError */
export function refuseScenario(source: unknown, options: unknown): void {
  // A list is refused later, with its place in the scenario.
  if (!isText(source) && !isContent(source) && !Array.isArray(source)) {
    throw new TypeError('The scenario of runScenario must be the path of a file, or its content as an object.');
  }
  refuseWrong(options, SCENARIO_OPTIONS, 'runScenario');
}

/** @throws CertifyError */
export function refuseCertify(options: unknown): void {
  const wrong = wrongOption(options, CERTIFY_OPTIONS, 'certify');
  if (wrong !== null) throw new CertifyError('usage', wrong);
}

/**
 * Without types, callers forget to wait for `sim.trace()`.
 * @throws TypeError
 */
export function refuseTrace(trace: unknown, of: string): void {
  if (!TRACE.is(trace)) throw new TypeError(`The trace of ${of} must be ${TRACE.what}.`);
}
