import { earliestOverdue } from '../domain/installment.ts';
import { wrongPart } from '../headers.ts';
import type { Contract, Platform } from '../library/wire.ts';
import { advanceClock } from '../operations/clock.ts';
import { settleInstallment } from '../operations/contracts.ts';
import { isOtherPath } from '../operations/operation.ts';
import { getContract } from '../operations/service.ts';
import { createWebhookEndpoint } from '../operations/webhooks.ts';
import { getPlatform, updatePlatform } from '../operations/workspace.ts';
import { createAccountReader } from './account-reader.ts';
import { compareAnswer, compareItems, compareTypes, problemOf } from './expectations.ts';
import type { ReadScenario } from './file.ts';
import { contents, interpolate, place, UnknownPlace } from './interpolate.ts';
import { BadExpression } from './match.ts';
import { realInstants } from './real-time.ts';
import { openReceiver, type Receiver } from './receiver.ts';
import {
  type Changing,
  interrupted,
  placed,
  type ScenarioResult,
  type StepResult,
  skipped,
  titleOf,
  type Where,
  withStruck,
} from './result.ts';
import { type Expected, type Step, type StepInput, verbOf } from './schema.ts';
import { type Answer, Endless, type Request, type Stage } from './stage.ts';
import { StepFailed } from './step-failed.ts';
import { type Stopping, UNSTOPPED } from './stopping.ts';
import { SENDS } from './verbs.ts';
import { waitFor } from './wait.ts';

/**
 * Plays a scenario to its end, to the first step that fails, or to the step in which it is stopped, and reports each step
 * as it ends.
 */
export async function play(
  { file, scenario: { name, steps }, placeOf }: ReadScenario,
  stage: Stage,
  tell: (result: StepResult) => void,
  stopping: Stopping = UNSTOPPED,
): Promise<ScenarioResult> {
  const actor = createActor(stage);
  const results: StepResult[] = [];

  async function take(step: Step, where: Where): Promise<StepResult> {
    if (stopping.isStopped) return interrupted(step, where);
    const taking = actor.take(step, where);
    // A change of the platform must be undone, so it is never left halfway.
    const taken = await (step.platform ? stopping.untilLate(taking) : stopping.untilStopped(taking));
    return taken ?? interrupted(step, where);
  }

  async function takeAll(): Promise<ScenarioResult> {
    let failed = false;
    for (const [index, step] of steps.entries()) {
      const where: Where = (path, atKey) => placeOf(['steps', index, ...path], atKey);
      const result: StepResult = failed ? skipped(step, where) : withStruck(await take(step, where), stage.struck());
      failed ||= result.status === 'failed';
      results.push(result);
      tell(result);
    }
    return { file, name, status: failed ? 'failed' : 'passed', steps: results, changing: actor.changing };
  }

  const played = await takeAll().catch(async (error) => {
    // What ended the scenario, such as a server that is gone, is told first.
    await actor.leave().catch(() => undefined);
    throw error;
  });
  await stopping.untilLate(actor.leave());
  return played;
}

/** The path to a string inside a value. */
function pathTo(text: string, value: unknown): (string | number)[] | null {
  if (value === text) return [];
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    const rest = pathTo(text, inner);
    if (rest) return [Array.isArray(value) ? Number(key) : key, ...rest];
  }
  return null;
}

function createActor(stage: Stage) {
  const scope = new Map<string, unknown>([
    ['merchant', { ...stage.merchant, ...stage.merchant.sandbox }],
    ['server', { url: stage.url }],
  ]);
  const receivers: Receiver[] = [];
  const changing: Changing[] = addressed(stage.url, place('server.url'));
  let platformBefore: Platform | undefined;
  let hasEndpoints = false;

  const account = createAccountReader(stage);

  async function take(step: Step, where: Where): Promise<StepResult> {
    const title = titleOf(step, where);
    const inExpect: Where = (path, atKey) => where(['expect', ...path], atKey);
    try {
      const answer = await act(step);
      changing.push(...realInstants(answer.body).map((instant): Changing => [instant, '…']));
      if (hasEndpoints) await settleDeliveries();
      const types = (await account.events.news()).map(({ type }) => type);
      const newEmails = await account.emails.news();
      if (step.as !== undefined && !step.receiver) {
        scope.set(step.as, answer.isLost ? undefined : resourceOf(answer.body));
      }
      const { expect = {} } = step;
      const problem = problemOf(answer, expect);
      if (problem !== null) return { ...title, status: 'failed', events: types, problem, differences: [] };
      const expected = interpolate(expect, scope) as Expected;
      const found = [
        ...compareAnswer(expected, answer),
        ...compareTypes('happened', expected.happened, happenedIn(step, answer) ?? types),
        ...compareTypes('events', expected.events, types),
        ...(expected.emails ? compareItems('emails', expected.emails, newEmails) : []),
        ...(expected.deliveries ? compareItems('deliveries', expected.deliveries, await account.deliveries()) : []),
        ...(expected.faults ? compareItems('faults', expected.faults, await account.faults()) : []),
      ].map((each) => placed(each, inExpect));
      return { ...title, status: found.length > 0 ? 'failed' : 'passed', events: types, differences: found };
    } catch (error) {
      const isBad = error instanceof BadExpression;
      const isOurs = isBad || error instanceof StepFailed || error instanceof UnknownPlace || error instanceof Endless;
      if (!isOurs) throw error;
      const { line, column } = where((isBad && pathTo(error.text, step)) || []);
      const found = error instanceof StepFailed ? error.differences.map((each) => placed(each, where)) : [];
      return { ...title, line, column, status: 'failed', events: [], problem: error.message, differences: found };
    }
  }

  async function act(step: Step): Promise<Answer> {
    const verb = verbOf(step);
    const input = interpolate(step[verb], scope);
    refuseNoId(step[verb] as Fields, input as Fields);
    switch (verb) {
      case 'receiver': {
        const receiver = await openReceiver(input as number[]);
        receivers.push(receiver);
        changing.push(...addressed(receiver.url, place(`${step.as ?? 'receiver'}.url`)));
        if (step.as !== undefined) scope.set(step.as, { url: receiver.url });
        return { status: 200, headers: {}, body: null };
      }
      case 'wait':
        return waitFor(input as StepInput<'wait'>, account, stage.waiting);
      case 'settle':
        return settle(input as StepInput<'settle'>);
      case 'request':
        return sendAny(input as StepInput<'request'>);
      default: {
        if (verb === 'platform') platformBefore ??= (await account.ask(getPlatform)).data;
        const { operation, ...call } = SENDS[verb](input as never);
        refuseWrong(call.headers);
        hasEndpoints ||= operation === createWebhookEndpoint;
        return stage.call(operation, call);
      }
    }
  }

  function sendAny(input: StepInput<'request'>): Promise<Answer> {
    const request = requestTo(stage.url, input);
    refuseWrong(request.headers);
    if (!request.path.startsWith('/')) {
      throw new StepFailed(`${request.path} is not on ${stage.url}: a request goes to the simulator itself.`);
    }
    hasEndpoints ||= request.path.startsWith(createWebhookEndpoint.path);
    return stage.send(request);
  }

  async function settle({ contract: reference, installment }: StepInput<'settle'>): Promise<Answer> {
    const settled = (number: number | string) =>
      stage.call(settleInstallment, { params: { reference, number: String(number) } });
    if (installment !== undefined) return settled(installment);
    const found = await stage.call(getContract, { params: { reference } });
    if (found.status >= 400 || found.isLost) return found;
    const number = earliestOverdue((resourceOf(found.body) as Contract).installments)?.installment_number;
    if (!number) throw new StepFailed(`No installment of ${reference} is overdue, so there is nothing to settle.`);
    return settled(number);
  }

  /** The clock does not move, but the answer comes after every delivery that is due now has been attempted. */
  const settleDeliveries = () => account.ask(advanceClock, { body: { by: '0s' } });

  async function leave() {
    try {
      if (platformBefore) await stage.call(updatePlatform, { body: platformBefore });
    } finally {
      await Promise.all(receivers.map((receiver) => receiver.close()));
    }
  }

  return { take, leave, changing };
}

type Fields = Readonly<Record<string, unknown>>;

/** A value that is not an id would not be found, or would lead to another path. */
function refuseNoId(written: Fields, input: Fields) {
  for (const name of ['session', 'contract']) {
    if (!Object.hasOwn(input, name)) continue;
    const id = input[name];
    if (typeof id !== 'string') throw new StepFailed(`${written[name]} is not an id: it ${contents(id)}.`);
    if (isOtherPath(id)) throw new StepFailed(`${name} is "${id}", which is not an id.`);
  }
}

/** Those that hold an answer's text are only known now. */
function refuseWrong(headers: Request['headers'] = {}) {
  for (const [name, value] of Object.entries(headers)) {
    const part = value === null ? null : wrongPart(name, value);
    if (part) throw new StepFailed(`HTTP does not allow the ${part} of the header ${name}.`);
  }
}

/** An address and, because headers name it without the rest, its host with the port. */
function addressed(url: string, called: string): Changing[] {
  const { host, port } = new URL(url);
  return [[url, called], ...(port === '' ? [] : ([[host, '…']] as const))];
}

/** The request of a step. A whole URL of this server becomes a path. */
const requestTo = (url: string, { method, path, headers = {}, body }: StepInput<'request'>): Request => ({
  method,
  path: path === url ? '/' : path.startsWith(`${url}/`) ? path.slice(url.length) : path,
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value === null ? null : String(value)]),
  ),
  ...(body === undefined || body === null ? {} : { body }),
});

/** The resource of an answer if it has one, otherwise the whole body. */
function resourceOf(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'data' in body ? body.data : body;
}

/** An advance lists at most a thousand; beyond that, the events are used. */
function happenedIn({ advance }: Step, { body, status }: Answer): string[] | null {
  if (!advance || status >= 400) return null;
  const { happened, happened_count: count } = resourceOf(body) as {
    happened: { type: string }[];
    happened_count: number;
  };
  return happened.length === count ? happened.map(({ type }) => type) : null;
}
