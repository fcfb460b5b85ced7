import { parseDuration } from '../../domain/calendar.ts';
import type { Yaml } from '../../yaml.ts';
import { until } from '../patience.ts';
import { interpolate, place, UnknownPlace } from './interpolate.ts';
import { BadExpression, type Difference, differences, hasEach, likeList, matches } from './match.ts';
import { openReceiver, type Receiver } from './receiver.ts';
import { type Expected, type Scenario, type Step, type StepInput, verbOf } from './schema.ts';
import { type Answer, type Request, type Stage, told } from './stage.ts';
import { readContract, SENDS, settle } from './verbs.ts';

/** How a step went. */
export interface StepResult {
  /** The verb, and what tells it from others of its kind, as the file has it. */
  readonly does: string;
  readonly name?: string;
  readonly as?: string;
  readonly status: 'passed' | 'failed' | 'skipped';
  /** Types of the events since the step began. */
  readonly events: readonly string[];
  /** Why it failed, when no expectation did. */
  readonly problem?: string;
  readonly differences: readonly Difference[];
}

export interface ScenarioResult {
  readonly file: string;
  readonly name: string;
  readonly status: 'passed' | 'failed';
  readonly steps: readonly StepResult[];
  /** Addresses that differ from play to play, and what a file calls them. */
  readonly addresses: readonly Address[];
}
export type Address = readonly [url: string, called: string];

/** A step that cannot go on; the scenario fails with the sentence. */
class StepFailed extends Error {}

/** Plays a scenario to its end or to the first step that fails, telling each step as it is done. */
export async function play(
  file: string,
  { name, steps }: Scenario,
  stage: Stage,
  tell: (result: StepResult) => void,
  placeOf: Yaml['placeOf'],
): Promise<ScenarioResult> {
  const actor = createActor(stage);
  const results: StepResult[] = [];
  try {
    let failed = false;
    for (const [index, step] of steps.entries()) {
      const placeIn = (text: string) => placeOf(['steps', index, ...(pathTo(text, step) ?? [])]);
      const result: StepResult = failed ? skipped(step) : await actor.take(step, placeIn);
      failed ||= result.status === 'failed';
      results.push(result);
      tell(result);
    }
    return { file, name, status: failed ? 'failed' : 'passed', steps: results, addresses: actor.addresses };
  } finally {
    await actor.leave();
  }
}

/** The way to a text inside a value. */
function pathTo(text: string, value: unknown): (string | number)[] | null {
  if (value === text) return [];
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    const rest = pathTo(text, inner);
    if (rest) return [Array.isArray(value) ? Number(key) : key, ...rest];
  }
  return null;
}

const titleOf = (step: Step) => ({
  does: [verbOf(step), ...detailOf(step)].join(' '),
  ...(step.name === undefined ? {} : { name: step.name }),
  ...(step.as === undefined ? {} : { as: step.as }),
});

function detailOf({ advance, request, settings, wait }: Step): string[] {
  if (request) return [request.method, request.path];
  if (settings) return [Object.keys(settings).join(', ')];
  if (wait) return [`for ${wait.event ?? (wait.email ? 'an e-mail' : 'a delivery')}`];
  return Object.entries(advance ?? {}).map(([how, where]) => (how === 'next' ? 'to what is next' : `${how} ${where}`));
}

const skipped = (step: Step): StepResult => ({ ...titleOf(step), status: 'skipped', events: [], differences: [] });

interface Listed {
  readonly id: string;
}
interface EventBody extends Listed {
  readonly type: string;
  readonly data: { readonly reference?: string; readonly id?: string };
}

function createActor(stage: Stage) {
  const scope = new Map<string, unknown>([
    ['merchant', { ...stage.merchant, ...stage.merchant.sandbox }],
    ['server', { url: stage.url }],
  ]);
  const receivers: Receiver[] = [];
  const addresses: Address[] = [[stage.url, place('server.url')]];
  const seen: { events: string | null; emails: string | null } = { events: null, emails: null };
  let platformBefore: object | undefined;
  let hasEndpoints = false;

  async function take(step: Step, placeIn: (text: string) => string): Promise<StepResult> {
    const title = titleOf(step);
    try {
      const answer = await act(step);
      if (hasEndpoints) await settleDeliveries();
      const events = await since<EventBody>('events');
      const emails = await since<Listed>('emails');
      const types = events.map(({ type }) => type);
      if (step.as !== undefined && !step.receiver) scope.set(step.as, resourceOf(answer.body));
      const { expect = {} } = step;
      if (answer.status >= 400 && expect.status === undefined) {
        return {
          ...title,
          status: 'failed',
          events: types,
          problem: `The service refused: ${told(answer)}`,
          differences: [],
        };
      }
      const expected = interpolate(expect, scope) as Expected;
      const found = [
        ...compareAnswer(expected, answer),
        ...compareTypes('happened', expected.happened, happenedIn(step, answer) ?? types),
        ...compareTypes('events', expected.events, types),
        ...compareSet('emails', expected.emails, emails),
        ...compareSet('deliveries', expected.deliveries, expected.deliveries ? await deliveries() : []),
      ];
      return { ...title, status: found.length > 0 ? 'failed' : 'passed', events: types, differences: found };
    } catch (error) {
      const failed = (problem: string): StepResult => ({
        ...title,
        status: 'failed',
        events: [],
        problem,
        differences: [],
      });
      if (error instanceof BadExpression) return failed(`${placeIn(error.text)} ${error.message}`);
      if (error instanceof StepFailed || error instanceof UnknownPlace) return failed(error.message);
      throw error;
    }
  }

  async function act(step: Step): Promise<Answer> {
    const verb = verbOf(step);
    const input = interpolate(step[verb], scope);
    switch (verb) {
      case 'receiver': {
        const receiver = await openReceiver(input as number[]);
        receivers.push(receiver);
        addresses.push([receiver.url, place(`${step.as ?? 'receiver'}.url`)]);
        if (step.as !== undefined) scope.set(step.as, { url: receiver.url });
        return { status: 200, headers: {}, body: null };
      }
      case 'wait':
        return waitFor(input as StepInput<'wait'>);
      case 'settle':
        return settleInstallment(input as StepInput<'settle'>);
      case 'platform':
        platformBefore ??= resourceOf((await ask({ method: 'GET', path: '/_sim/platform' })).body) as object;
        return stage.send(SENDS.platform(input as StepInput<'platform'>, stage.url));
      default: {
        const request = SENDS[verb](input as never, stage.url);
        if (!request.path.startsWith('/')) {
          throw new StepFailed(`${request.path} is not on ${stage.url}: a request goes to the simulator itself.`);
        }
        hasEndpoints ||= request.path.startsWith('/_sim/webhook-endpoints');
        return stage.send(request);
      }
    }
  }

  async function settleInstallment({ contract, installment }: StepInput<'settle'>): Promise<Answer> {
    if (installment !== undefined) return stage.send(settle(contract, Number(installment)));
    const found = await stage.send(readContract(contract));
    if (found.status >= 400) return found;
    const { installments } = resourceOf(found.body) as {
      installments: { installment_number: number; status: string }[];
    };
    const overdue = installments.find(({ status }) => status === 'past_due' || status === 'delinquent');
    if (!overdue) throw new StepFailed(`No installment of ${contract} is overdue, so there is none to settle.`);
    return stage.send(settle(contract, overdue.installment_number));
  }

  /** Real time: for what the store itself does, or its server. What is there already counts. */
  async function waitFor({
    event,
    contract,
    session,
    email,
    delivery,
    timeout = '30s',
  }: StepInput<'wait'>): Promise<Answer> {
    const look = async (): Promise<Listed | null> => {
      if (event !== undefined) {
        const concerns = ({ type, data }: EventBody) =>
          type === event &&
          (contract === undefined || data.reference === contract) &&
          (session === undefined || data.id === session);
        return (await list<EventBody>('/_sim/events?limit=1000')).find(concerns) ?? null;
      }
      const all = email === undefined ? await deliveries() : await list<Listed>('/_sim/emails?limit=1000');
      return all.find((each) => matches(email ?? delivery, each)) ?? null;
    };
    const found = await until(look, parseDuration(timeout)?.ms ?? 0);
    const what = event ?? (email === undefined ? 'delivery like this' : 'e-mail like this');
    if (!found) throw new StepFailed(`No ${what} came within ${timeout}.`);
    return { status: 200, headers: {}, body: { data: found } };
  }

  /** A request of the play itself, which nothing can be expected of. */
  async function ask(request: Request): Promise<Answer> {
    const answer = await stage.send(request);
    if (answer.status >= 400) throw new StepFailed(`${request.method} ${request.path}: ${told(answer)}`);
    return answer;
  }

  const list = async <T>(path: string): Promise<T[]> => resourceOf((await ask({ method: 'GET', path })).body) as T[];

  const deliveries = async () => (await list<Listed>('/_sim/deliveries?limit=1000')).reverse();

  /** What is new since somebody last asked, oldest first. */
  async function since<T extends Listed>(noun: 'events' | 'emails'): Promise<T[]> {
    const found: T[] = [];
    for (;;) {
      const after = seen[noun];
      const page = await list<T>(`/_sim/${noun}?limit=1000${after === null ? '' : `&after=${after}`}`);
      if (after === null) page.reverse();
      found.push(...page);
      seen[noun] = page.at(-1)?.id ?? after;
      if (page.length < 1000) return found;
    }
  }

  /** The clock goes nowhere, but the answer comes when all that is due now has been attempted. */
  const settleDeliveries = () => ask({ method: 'POST', path: '/_sim/clock/advance', body: { by: '0s' } });

  async function leave() {
    await Promise.all(receivers.map((receiver) => receiver.close()));
    if (platformBefore) await stage.send({ method: 'PATCH', path: '/_sim/platform', body: platformBefore });
  }

  return { take, leave, addresses };
}

/** The resource of an answer that has one, else the whole body. */
function resourceOf(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'data' in body ? body.data : body;
}

/** An advance lists at most a thousand; then the events tell. */
function happenedIn({ advance }: Step, { body, status }: Answer): string[] | null {
  if (!advance || status >= 400) return null;
  const { happened, happened_count: count } = resourceOf(body) as {
    happened: { type: string }[];
    happened_count: number;
  };
  return happened.length === count ? happened.map(({ type }) => type) : null;
}

function compareAnswer({ status, body, headers }: Expected, answer: Answer): Difference[] {
  const asked = (value: unknown) => (value === undefined ? undefined : Number(value));
  // A refusal where none was expected explains itself.
  if (status !== undefined && asked(status) !== answer.status) {
    const actual = answer.status >= 400 ? told(answer) : answer.status;
    return [{ at: 'status', expected: asked(status), actual }];
  }
  return [
    ...(body === undefined ? [] : differences(body, answer.body, 'body')),
    ...(headers === undefined ? [] : differences(lowerCased(headers), answer.headers, 'headers')),
  ];
}

const lowerCased = (headers: object) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      typeof value === 'string' ? value : String(value),
    ]),
  );

function compareTypes(at: string, expected: readonly string[] | undefined, actual: readonly string[]): Difference[] {
  if (!expected) return [];
  const same = expected.length === actual.length && expected.every((type, index) => type === actual[index]);
  return same ? [] : [{ at, expected, actual }];
}

function compareSet(at: string, expected: readonly object[] | undefined, actual: readonly unknown[]): Difference[] {
  if (!expected || hasEach(expected, actual)) return [];
  return [{ at, expected, actual: likeList(expected, actual) }];
}
