import { parseDuration, parseInstant } from '../domain/calendar.ts';
import { parseCondition } from '../domain/condition.ts';
import { codeOf } from '../domain/error-code.ts';
import { unmetFilter } from '../domain/event.ts';
import { checkFilters, type FaultInput, faultRule } from '../domain/faults.ts';
import { fileReason } from '../domain/file-error.ts';
import { isRecord } from '../domain/json.ts';
import { Refusal } from '../domain/refusal.ts';
import { wrongPart } from '../headers.ts';
import { suggestion } from '../nearest.ts';
import { STRUCK_OPERATIONS } from '../operations/faults.ts';
import { type Path, readText, Unreadable, unreadable, useYaml, type Yaml } from '../yaml.ts';
import { check, type Problem } from './check.ts';
import { ScenarioError } from './error.ts';
import { namesIn, place, replacePlaces } from './interpolate.ts';
import { regularExpression } from './match.ts';
import { type Scenario, ScenarioFile, type Step, type StepInput } from './schema.ts';

/** The size of the largest file that is read. */
export const SCENARIO_BYTES_MAX = 128 * 1024;

/** Names that every scenario can use. */
const GIVEN_NAMES = ['merchant', 'server'] as const;

/** A scenario that is ready to be played. */
export interface ReadScenario {
  readonly file: string;
  readonly scenario: Scenario;
  readonly placeOf: Yaml['placeOf'];
}

/**
 * Reads scenario files. If one is invalid, none is played.
 * @throws ScenarioError with the mistakes of all of them
 */
export async function readScenarios(files: readonly string[]): Promise<ReadScenario[]> {
  const read = await Promise.all(
    files.map(async (file) => {
      try {
        return parse(file, await textOf(file));
      } catch (error) {
        if (error instanceof Unreadable) return error;
        throw error;
      }
    }),
  );
  refuse(read.filter((each) => each instanceof Unreadable));
  return read as ReadScenario[];
}

/** @throws ScenarioError */
export async function readScenario(file: string): Promise<ReadScenario> {
  const [only] = await readScenarios([file]);
  return only as ReadScenario;
}

/**
 * A scenario given as an object: the content of a file.
 * @throws ScenarioError
 */
export function scenarioOf(source: object): ReadScenario {
  try {
    return parse('scenario', JSON.stringify(source));
  } catch (error) {
    if (error instanceof Unreadable) refuse([error]);
    throw error;
  }
}

function refuse(wrong: readonly Unreadable[]) {
  const [first, ...others] = wrong.flatMap(({ mistakes }) => mistakes);
  if (first) throw new ScenarioError(wrong.map(({ message }) => message).join('\n'), [first, ...others]);
}

async function textOf(file: string): Promise<string> {
  try {
    return await readText(file, SCENARIO_BYTES_MAX);
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    throw new Unreadable([{ file, line: null, column: null, message: whyUnread(file, error) }]);
  }
}

function whyUnread(file: string, error: unknown): string {
  const code = codeOf(error);
  if (code === 'ENOENT') return `There is no file ${file}.`;
  if (code === 'EISDIR') return `${file} is a directory. Name the files in it: ${file.replace(/\/+$/, '')}/*.yaml`;
  return `${file} cannot be read (${fileReason(error)}).`;
}

/** @throws Unreadable */
const parse = (file: string, text: string): ReadScenario =>
  useYaml(file, text, ({ value, placeOf }) => {
    const problems = check(ScenarioFile, value);
    const all = [...problems, ...meaningProblems(value, problems)].toSorted(
      (one, other) => stepOf(one) - stepOf(other),
    );
    if (all.length > 0) {
      throw unreadable(all, (each) => ({ ...placeOf(each.path, each.atKey), message: sentence(each) }));
    }
    return { file, scenario: value as Scenario, placeOf };
  });

/** The index of the step that has the problem; -1 for the rest of the file. */
const stepOf = ({ path: [top, index] }: Problem) => (top === 'steps' && typeof index === 'number' ? index : -1);

/** `steps[2].advance.by must be …`; for a wrong key, the path is that of its map. */
function sentence({ path, atKey, message }: Problem): string {
  const names = atKey ? path.slice(0, -1) : path;
  const where = names.reduce<string>(
    (shown, key) => (typeof key === 'number' ? `${shown}[${key}]` : shown === '' ? key : `${shown}.${key}`),
    '',
  );
  if (atKey) return where === '' ? message : `${where}: ${message}`;
  return `${where === '' ? 'The scenario' : where} ${message}`;
}

/**
 * What a schema cannot check: the forms of durations, instants and conditions, references to unknown names, and faults
 * that are refused. Steps that the schema refuses are left out.
 */
function meaningProblems(value: unknown, refused: readonly Problem[]): Problem[] {
  const { clock, steps } = (isRecord(value) ? value : {}) as Partial<Scenario>;
  const problems: Problem[] = [];
  const say = (path: Path, message: string) => problems.push({ path, message });
  if (typeof clock === 'string' && clock !== '' && parseInstant(clock) === null) {
    say(['clock'], 'must be an ISO 8601 instant, such as 2026-01-01T00:00:00Z');
  }
  const known: string[] = [...GIVEN_NAMES];
  const isRefused = new Set(refused.map(({ path: [top, index] }) => (top === 'steps' ? index : undefined)));
  for (const [index, step] of (Array.isArray(steps) ? steps : []).entries()) {
    if (isRefused.has(index)) {
      if (typeof step?.as === 'string') known.push(step.as);
      continue;
    }
    const { as, expect, ...doing } = step;
    problems.push(...unknownNames(doing, ['steps', index], known));
    problems.push(...formProblems(step.advance ?? {}, ['steps', index, 'advance']));
    // A refusal that the step expects is what the scenario shows.
    if (step.fault && expect?.status === undefined)
      problems.push(...faultProblems(step.fault, ['steps', index, 'fault']));
    problems.push(...headerProblems(step, ['steps', index]));
    const { timeout, event, ...filters } = step.wait ?? {};
    const unmet = event === undefined ? null : unmetFilter({ type: event, ...filters });
    if (unmet) {
      const advice = unmet.instead ? `, which names its ${unmet.instead}. Use ${unmet.instead}.` : '. Leave it out.';
      say(['steps', index, 'wait', unmet.filter], `does not apply to ${event}${advice}`);
    }
    if (timeout !== undefined && !isTimeout(timeout)) {
      say(['steps', index, 'wait', 'timeout'], 'must be a duration in real time, such as 30s or 2m');
    }
    if (as !== undefined) {
      if (known.includes(as)) say(['steps', index, 'as'], `is taken: the name ${as} is already in use`);
      known.push(as);
    }
    problems.push(...unknownNames(expect, ['steps', index, 'expect'], known));
    problems.push(...brokenExpressions(expect, ['steps', index, 'expect']));
  }
  return problems;
}

const isTimeout = (text: string) => text.includes('${') || parseDuration(text)?.months === 0;

const FORMS: Readonly<Record<string, { is(text: string): boolean; like: string }>> = {
  by: { is: (text) => parseDuration(text) !== null, like: 'a duration, like 36h, 30d, 2w, 3mo or P1M' },
  to: { is: (text) => parseInstant(text) !== null, like: 'an ISO 8601 date or instant, like 2026-01-31T09:00:00Z' },
  until: { is: isCondition, like: `a condition, like ${place('plan.reference')}#2=past_due` },
};

function formProblems(advance: object, path: Path): Problem[] {
  return Object.entries(advance).flatMap(([key, value]) => {
    const form = FORMS[key];
    if (!form || typeof value !== 'string' || (key !== 'until' && value.includes('${')) || form.is(value)) return [];
    return [{ path: [...path, key], message: `must be ${form.like}, not ${JSON.stringify(value)}` }];
  });
}

/** Names and values that HTTP does not allow. Values with a place in them are only known later. */
function headerProblems(step: Step, path: Path): Problem[] {
  const { idempotency_key: key } = step['create-session'] ?? {};
  const keyPath = [...path, 'create-session', 'idempotency_key'];
  const headers = Object.entries(step.request?.headers ?? {}).map(
    ([name, value]) => [name, value, [...path, 'request', 'headers', name]] as const,
  );
  return [...headers, ['idempotency-key', key, keyPath] as const].flatMap(([name, value, at]): Problem[] => {
    const isKnown = namesIn(String(value)).length === 0;
    const part = wrongPart(name, isKnown ? String(value) : '');
    if (part === 'name')
      return [{ path: at, atKey: true, message: `HTTP does not allow the header name ${JSON.stringify(name)}` }];
    return part
      ? [{ path: at, message: `contains a character that HTTP does not allow: ${JSON.stringify(value)}` }]
      : [];
  });
}

/** What the control plane would refuse. Fields with a place in them are only known later. */
function faultProblems(fault: StepInput<'fault'>, path: Path): Problem[] {
  const isKnown = ([, value]: [string, unknown]) => typeof value !== 'string' || namesIn(value).length === 0;
  const known = Object.fromEntries(Object.entries(fault).filter(isKnown));
  if (!('kind' in known)) return [];
  try {
    checkFilters(faultRule(known as FaultInput, null), STRUCK_OPERATIONS);
    return [];
  } catch (error) {
    if (!(error instanceof Refusal) || !error.is('invalid')) throw error;
    const [errors] = error.details;
    return Object.entries(errors).flatMap(([field, messages]) =>
      messages.map((message): Problem => ({ path: [...path, field], atKey: true, message })),
    );
  }
}

/**
 * Checks the form with a sample reference, id or number for the first `${…}` and numbers for the others; a status that is
 * only known later is not checked.
 */
function isCondition(text: string): boolean {
  const status = text.split('=')[1] ?? text;
  if (status.includes('${')) return true;
  return ['LAY-0', 'cs_0', '1'].some((first) => {
    const stands = [first];
    return parseCondition(replacePlaces(text, () => stands.pop() ?? '1')) !== null;
  });
}

function unknownNames(value: unknown, path: Path, known: readonly string[]): Problem[] {
  return textsIn(value, path).flatMap(({ text, at }) =>
    namesIn(text)
      .filter((name) => !known.includes(name))
      .map((name) => ({
        path: at,
        message: `refers to ${name}, which no earlier step defines. ${suggestion(name, known)}`,
      })),
  );
}

function brokenExpressions(value: unknown, path: Path): Problem[] {
  return textsIn(value, path).flatMap(({ text, at }) => {
    const problem =
      !text.includes('${') && regularExpression(text) instanceof Error ? 'is not a valid regular expression' : null;
    return problem ? [{ path: at, message: `${problem}: ${text}` }] : [];
  });
}

function textsIn(value: unknown, path: Path): { text: string; at: Path }[] {
  if (typeof value === 'string') return [{ text: value, at: path }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    textsIn(inner, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}
