import { BadInput } from '../domain/cannot-start.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Dump } from '../domain/trace.ts';
import type { Step } from './lever-steps.ts';
import { PLAN_ID } from './names.ts';
import type { Told } from './recording.ts';
import { replayOf, type ToldScenario } from './replay.ts';
import { rowsOf } from './rows.ts';

type Subject = { readonly [name in 'path' | 'session' | 'contract']?: string };

/** The scenario alone. */
export const scenarioOf = (document: Told, contract: string | null, clientId: string | null = null): ToldScenario =>
  replayOf(document, { contract, clientId }).scenario;

/** The sessions and contracts that a scenario names by their ids, because no step of it makes them. */
export function unmadeIn(document: Dump, { steps }: ToldScenario): string[] {
  // What a store sends may hold any id.
  const subjects = steps
    .filter(needsItsSubject)
    .flatMap(({ as: _as, expect: _expect, ...step }) =>
      Object.values(step as Readonly<Record<string, Subject>>).map(
        ({ path, session, contract }) => path ?? session ?? contract,
      ),
    );
  const named = new Set(subjects.join(' ').match(PLAN_ID));
  const ids = [
    ...rowsOf(document, 'sessions').map(({ token }) => String(token)),
    ...rowsOf(document, 'contracts').map(({ reference }) => String(reference)),
  ];
  return ids.filter((id) => named.has(id));
}

/** Whether a step fails without what it names: other refusals, and answers that a fault took, come all the same. */
function needsItsSubject({ expect }: Step): boolean {
  const { status = 200, answer } = (expect ?? {}) as { readonly status?: number; readonly answer?: 'lost' };
  return answer === undefined && (status < 400 || status === 422);
}

/**
 * The scenario of one contract of a running workspace.
 * @throws Refusal `conflict` when there is nothing to repeat
 */
export function storyOf(dump: Dump, contract: string): object {
  const scenario = orNothing(() => scenarioOf(dump, contract));
  if (scenario && unmadeIn(dump, scenario).length === 0) return scenario;
  throw new Refusal(
    'conflict',
    'No scenario can be made of this contract: the fixture made it, or its request is not in the log.',
  );
}

function orNothing<T>(told: () => T): T | null {
  try {
    return told();
  } catch (error) {
    if (error instanceof BadInput) return null;
    throw error;
  }
}
