import { parseDuration, parseInstant } from '../../domain/calendar.ts';
import { parseCondition } from '../../domain/condition.ts';
import { firstOf, type Path, readText, Unreadable, useYaml, type Yaml } from '../../yaml.ts';
import { usage } from '../exit.ts';
import { suggestion } from '../nearest.ts';
import { check, type Problem } from './check.ts';
import { namesIn, place, replacePlaces } from './interpolate.ts';
import { regularExpression } from './match.ts';
import { type Scenario, ScenarioFile } from './schema.ts';

/** Names that every scenario knows. */
export const GIVEN_NAMES = ['merchant', 'server'] as const;

/** A scenario that can be played. */
export interface ReadScenario {
  readonly file: string;
  readonly scenario: Scenario;
  /** `file:line:column` of something in it. */
  readonly placeOf: Yaml['placeOf'];
}

/**
 * Reads scenario files; none is played when one is wrong.
 * @throws CommandError that lists the mistakes as `file:line:column`
 */
export async function readScenarios(files: readonly string[]): Promise<ReadScenario[]> {
  const read = await Promise.all(
    files.map(async (file) => {
      try {
        return parseScenario(file, await textOf(file));
      } catch (error) {
        if (error instanceof Unreadable) return error;
        throw error;
      }
    }),
  );
  const wrong = read.filter((each) => each instanceof Unreadable);
  if (wrong.length > 0) throw usage(wrong.map(({ message }) => message).join('\n'));
  return read as ReadScenario[];
}

async function textOf(file: string): Promise<string> {
  try {
    return await readText(file);
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw usage(`There is no file ${file}.`);
    if (code === 'EISDIR')
      throw usage(`${file} is a directory. Name the files in it: ${file.replace(/\/+$/, '')}/*.yaml`);
    throw usage(`${file} cannot be read: ${(error as Error).message}`);
  }
}

/** @throws Unreadable */
export const parseScenario = (file: string, text: string): ReadScenario =>
  useYaml(file, text, ({ value, placeOf }) => {
    const problems = check(ScenarioFile, value);
    const all = problems.length > 0 ? problems : meaningProblems(value as Scenario);
    const mistakes = firstOf(all, (each) => `${placeOf(each.path, each.atKey)} ${sentence(each)}`);
    if (mistakes.length > 0) throw new Unreadable(mistakes);
    return { file, scenario: value as Scenario, placeOf };
  });

/** `steps[2].advance.by must be …`; a wrong key needs no path before it. */
function sentence({ path, atKey, message }: Problem): string {
  const names = atKey ? path.slice(0, -1) : path;
  const where = names.reduce<string>(
    (shown, key) => (typeof key === 'number' ? `${shown}[${key}]` : shown === '' ? key : `${shown}.${key}`),
    '',
  );
  if (atKey) return where === '' ? message : `${where}: ${message}`;
  return `${where === '' ? 'The scenario' : where} ${message}`;
}

/** What no schema can tell: forms of durations, instants and conditions, and names that nothing bears. */
function meaningProblems({ clock, steps }: Scenario): Problem[] {
  const problems: Problem[] = [];
  const say = (path: Path, message: string) => problems.push({ path, message });
  if (clock !== undefined && parseInstant(clock) === null) {
    say(['clock'], 'must be an ISO 8601 instant, such as 2026-01-01T00:00:00Z');
  }
  const known: string[] = [...GIVEN_NAMES];
  for (const [index, step] of steps.entries()) {
    const { as, expect, ...doing } = step;
    problems.push(...unknownNames(doing, ['steps', index], known));
    problems.push(...formProblems(step.advance ?? {}, ['steps', index, 'advance']));
    const { timeout } = step.wait ?? {};
    if (timeout !== undefined && !isTimeout(timeout)) {
      say(['steps', index, 'wait', 'timeout'], 'must be a real span such as 30s or 2m');
    }
    if (as !== undefined) {
      if (known.includes(as)) say(['steps', index, 'as'], `is taken: ${as} is the name of something else already`);
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

/** With a reference or an id in the place of what only the play knows; a status that it alone knows is left alone. */
function isCondition(text: string): boolean {
  const status = text.split('=')[1] ?? text;
  if (status.includes('${')) return true;
  return ['LAY-0', 'cs_0', '1'].some((stand) => parseCondition(replacePlaces(text, () => stand)) !== null);
}

function unknownNames(value: unknown, path: Path, known: readonly string[]): Problem[] {
  return textsIn(value, path).flatMap(({ text, at }) =>
    namesIn(text)
      .filter((name) => !known.includes(name))
      .map((name) => ({
        path: at,
        message: `refers to ${name}, which no step before has as its name. ${suggestion(name, known)}`,
      })),
  );
}

function brokenExpressions(value: unknown, path: Path): Problem[] {
  return textsIn(value, path).flatMap(({ text, at }) => {
    const problem =
      !text.includes('${') && regularExpression(text) instanceof Error
        ? 'is no regular expression that can be read'
        : null;
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
