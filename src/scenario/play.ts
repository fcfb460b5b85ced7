import { advanceClock } from '../operations/clock.ts';
import { createAccountReader } from './account-reader.ts';
import { compareAnswer, compareDeliveries, compareItems, compareTypes, problemOf } from './expectations.ts';
import type { ReadScenario } from './file.ts';
import { interpolate, UnknownPlace } from './interpolate.ts';
import { BadExpression } from './match.ts';
import { createPerformer, resourceOf } from './perform.ts';
import { realInstants } from './real-time.ts';
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
import type { Expected, Step } from './schema.ts';
import { type Answer, Endless, type Stage } from './stage.ts';
import { StepFailed } from './step-failed.ts';
import { type Stopping, UNSTOPPED } from './stopping.ts';

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

/** Takes steps: does what each says, and compares what came of it with what it expects. */
function createActor(stage: Stage) {
  const scope = new Map<string, unknown>([
    ['merchant', { ...stage.merchant, ...stage.merchant.sandbox }],
    ['server', { url: stage.url }],
  ]);
  const account = createAccountReader(stage);
  const { perform, leave, changing, hasEndpoints } = createPerformer(stage, account, scope);

  async function take(step: Step, where: Where): Promise<StepResult> {
    const title = titleOf(step, where);
    const inExpect: Where = (path, atKey) => where(['expect', ...path], atKey);
    try {
      const answer = await perform(step);
      changing.push(...realInstants(answer.body).map((instant): Changing => [instant, '…']));
      if (hasEndpoints()) await settleDeliveries();
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
        ...(expected.deliveries ? compareDeliveries(expected.deliveries, await account.deliveries()) : []),
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

  /** The clock does not move, but the answer comes after every delivery that is due now has been attempted. */
  const settleDeliveries = () => account.ask(advanceClock, { body: { by: '0s' } });

  return { take, leave, changing };
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
