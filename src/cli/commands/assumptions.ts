import { type Command, InvalidArgumentError } from 'commander';
import { ASSUMPTIONS, type Assumption } from '../../domain/assumptions.ts';
import { suggestion } from '../../nearest.ts';
import { getSettings, updateSettings } from '../../operations/settings.ts';
import { getPlatform, updatePlatform } from '../../operations/workspace.ts';
import { type Cli, run, verb } from '../command.ts';
import { describe } from '../describe.ts';
import { usage } from '../exit.ts';
import { ASSUMPTION_NAMES, type AssumptionName, isAssumption, typedValue } from '../input/assign.ts';
import type { Answer } from '../server/client.ts';
import { asked, chosen } from '../terminal/prompt.ts';

type Values = Readonly<Record<string, unknown>>;

export default function assumptions(noun: Command) {
  describe(
    noun,
    'List and change the values that the service description leaves open.',
    'layaway assumptions set grace_days 14',
  );

  verb(noun, 'list', 'List every value, its default and the section it completes.', 'layaway assumptions list').action(
    run(listAssumptions),
  );

  verb(
    noun,
    'set <name> <value>',
    'Change a value, for this account or for the whole scope of the value. Separate list items with commas.',
    'layaway assumptions set excluded_states CA,NY',
  ).action(run(setAssumption));
}

async function listAssumptions(cli: Cli) {
  const { client, out } = cli;
  const settings = (await client.call(getSettings)).body.data;
  const { controlToken } = await client.address();
  const platform = controlToken === null ? {} : (await client.call(getPlatform)).body.data;
  const current: Values = { ...settings, ...platform };
  const data = ASSUMPTION_NAMES.map((name) => {
    const { default: standard, scope, completes, note }: Assumption = ASSUMPTIONS[name];
    return {
      name,
      value: Object.hasOwn(current, name) ? current[name] : null,
      default: standard,
      scope,
      completes,
      note,
    };
  });
  if (out.json) return out.document(JSON.stringify({ data }));

  out.table(
    [
      { title: 'NAME' },
      { title: 'VALUE', shrinks: true, paint: out.paint.bold },
      { title: 'DEFAULT', shrinks: true },
      { title: 'OF' },
      { title: 'SECTION' },
      { title: 'MEANING', shrinks: true },
    ],
    data.map(({ name, value, default: standard, scope, completes, note }) => [
      name,
      Object.hasOwn(current, name) ? text(value) : '?',
      text(standard),
      scope,
      completes,
      note,
    ]),
  );
  out.note('Server values are fixed at startup and show as "?".');
  if (controlToken === null) out.note('Platform values need the control token of the server and show as "?".');
}

const text = (value: unknown): string => {
  if (value === null) return '(none)';
  if (Array.isArray(value)) return value.length === 0 ? '(none)' : value.join(',');
  return String(value);
};

async function setAssumption(cli: Cli, givenName: string | undefined, givenValue: string | undefined) {
  const name = await chosen(givenName, 'Missing name and value. List the names with `layaway assumptions list`.', {
    message: 'Which value?',
    none: 'There are no values to set.',
    choices: async () =>
      ASSUMPTION_NAMES.filter((one) => ASSUMPTIONS[one].scope !== 'server').map((one) => ({
        value: one,
        cells: [one],
      })),
  });
  if (!isAssumption(name)) throw usage(`Unknown value "${name}". ${suggestion(name, ASSUMPTION_NAMES)}`);
  const { scope }: Assumption = ASSUMPTIONS[name];
  if (scope === 'server')
    throw usage(`${name} is fixed while the server runs. Set it when you start the server: see layaway serve --help.`);
  const typed = await asked(givenValue, `Missing value for ${name}.`, {
    message: `Value of ${name}`,
    validate: (answer) => problem(name, answer) ?? true,
  });
  const wrong = problem(name, typed);
  if (wrong !== null) throw usage(wrong);

  const body = { [name]: typedValue(name, typed) };
  const answer: Answer<object> = await cli.client.call(scope === 'platform' ? updatePlatform : updateSettings, {
    body,
  });
  await cli.show(answer, (values) => cli.out.facts([[name, text((values as Values)[name]), cli.out.paint.bold]]));
}

function problem(name: AssumptionName, typed: string): string | null {
  try {
    typedValue(name, typed);
    return null;
  } catch (error) {
    if (error instanceof InvalidArgumentError) return error.message;
    throw error;
  }
}
