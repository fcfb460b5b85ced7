import type { IncomingHttpHeaders } from 'node:http';
import type { Client } from '../client.ts';
import { Refused, usage } from '../exit.ts';
import { harmless } from '../harmless.ts';
import { exchange, otherKind } from '../transport.ts';
import type { Scenario } from './schema.ts';

/** Where a scenario is played: a server, and a merchant there that is the scenario's own. */
export interface Stage {
  readonly url: string;
  readonly merchant: Merchant;
  send(request: Request): Promise<Answer>;
  close(): Promise<void>;
}

/** As the control plane answers its creation. */
export interface Merchant {
  readonly sandbox: { readonly client_id: string; readonly api_key: string; readonly webhook_secret: string };
}

export interface Request {
  readonly method: string;
  /** From the server's root. */
  readonly path: string;
  /** Null leaves out one that would be sent. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** An object is sent as JSON. */
  readonly body?: object | string;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Parsed when it is JSON; null when there is none. */
  readonly body: unknown;
}

const START = '2026-01-01T00:00:00Z';
const PATIENCE_MS = 600_000;

/** A simulator in this process, of this scenario alone. */
export async function ownStage(scenario: Scenario, seed: number): Promise<Stage> {
  const { createSimulator } = await import('../../index.ts');
  const { clock: frozenAt = START, rate_limit: rateLimit } = scenario;
  const sim = await createSimulator({
    seed,
    clock: { frozenAt },
    ...(rateLimit === undefined ? {} : { rateLimit }),
  });
  try {
    return await stageAt(scenario, sim.url, sim.controlToken, sim.close);
  } catch (error) {
    await sim.close();
    throw error;
  }
}

/**
 * A server that runs already.
 * @throws CommandError when its control token is not known, or the scenario needs a server of its own
 */
export async function stageElsewhere(file: string, scenario: Scenario, client: Client): Promise<Stage> {
  const { baseUrl, controlToken } = await client.address();
  if (controlToken === null) {
    throw usage(
      `Scenarios need the control token of ${baseUrl}. Run where \`layaway serve\` was started, or give --control-token, or LAYAWAY_BASE_URL and LAYAWAY_CONTROL_TOKEN together: \`layaway serve\` prints it.`,
    );
  }
  return stageOn(file, scenario, baseUrl, controlToken, 'Run it without --base-url.');
}

/** @throws CommandError when the scenario needs a server of its own */
export async function stageOn(file: string, scenario: Scenario, url: string, controlToken: string, advice: string) {
  if (scenario.rate_limit !== undefined) {
    throw usage(`${file} sets rate_limit, which only a server of its own can do. ${advice}`);
  }
  return stageAt(scenario, url, controlToken, async () => undefined);
}

async function stageAt(
  { merchant: profile = {}, clock = START }: Scenario,
  url: string,
  controlToken: string,
  close: () => Promise<void>,
): Promise<Stage> {
  let pair: Record<string, string> = {};

  async function send({ method, path, headers = {}, body }: Request): Promise<Answer> {
    const all: Record<string, string | null> = {
      'user-agent': 'layaway-cli',
      ...identity(path),
      ...(typeof body === 'object' ? { 'content-type': 'application/json' } : {}),
      ...lowerCased(headers),
    };
    const answer = await exchange({
      method,
      url: `${url}${path}`,
      headers: Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null)),
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      patienceMs: PATIENCE_MS,
    });
    return { status: answer.status, headers: answer.headers, body: parsed(answer.text) };
  }

  const identity = (path: string) => {
    if (/^\/_sim\/(merchants|platform|snapshots|reset)(\/|\?|$)/.test(path)) {
      return { authorization: `Bearer ${controlToken}` };
    }
    return /^\/(v1|_sim)(\/|$)/.test(path) ? { accept: 'application/json', ...pair } : {};
  };

  const created = await send({
    method: 'POST',
    path: '/_sim/merchants',
    body: { ...profile, clock: { frozen_at: clock } },
  });
  const merchant = (created.body as { data?: Merchant } | null)?.data;
  if (created.status === 404) throw otherKind(url, 'it has no control plane, and scenarios work on a simulator only');
  if (created.status === 401) {
    throw new Refused(401, JSON.stringify(created.body), told(created), {
      hint: `The control token is not the one of the server at ${url}.`,
    });
  }
  if (created.status >= 400) {
    throw new Refused(created.status, JSON.stringify(created.body), `No merchant for the scenario: ${told(created)}`);
  }
  if (!merchant?.sandbox) throw otherKind(url, 'it creates no merchants');
  pair = { 'x-client-id': merchant.sandbox.client_id, 'x-api-key': merchant.sandbox.api_key };
  return { url, merchant, send, close };
}

const lowerCased = (headers: Readonly<Record<string, string | null>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function parsed(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** What a refusal says, each field's messages included (§2.9). */
export function told({ status, body }: Answer): string {
  const { message, errors, reason } = (body ?? {}) as { message?: unknown; errors?: object; reason?: unknown };
  const fields = Object.entries(errors ?? {}).map(([field, messages]) => `${field}: ${[messages].flat().join(' ')}`);
  const parts = [`${status} ${typeof message === 'string' ? message : 'refused'}`, ...fields];
  return [...parts, ...(typeof reason === 'string' ? [`reason: ${reason}`] : [])].map(harmless).join('\n');
}
