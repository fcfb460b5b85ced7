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
import { asked, chosenOf, confirmed, wordChoices } from '../terminal/prompt.ts';

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

  verb(
    noun,
    'reset <name>',
    'Reset a value to its default; without a name, reset every value of the account and the platform.',
    'layaway assumptions reset grace_days',
  )
    .usage('[name] [options]')
    .option('--yes', 'do not ask')
    .action(run(resetAssumptions));
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
      { title: 'MEANING', sentences: true, paint: out.paint.dim },
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
  const names = ASSUMPTION_NAMES.filter((one) => ASSUMPTIONS[one].scope !== 'server');
  const missing = 'Missing name and value. List the names with `layaway assumptions list`.';
  const name = nameOf(await chosenOf(givenName, missing, { message: 'Which value?', choices: wordChoices(names) }));
  const check = (value: string) => valueFor(name, value);
  const typed = await asked(givenValue, `Missing value for ${name}.`, { message: `Value of ${name}`, check });
  await change(cli, name, valueFor(name, typed));
}

/** Without a name, values that describe the merchant (name, state, email) are not reset. */
async function resetAssumptions(cli: Cli, given: string | undefined, flags: { yes?: boolean }) {
  const { client, out } = cli;
  if (given !== undefined) {
    const name = nameOf(given);
    return change(cli, name, defaultOf(name));
  }
  await confirmed('Reset every value of the account and the platform to its default?', flags);
  const ofScope = (scope: Assumption['scope']) =>
    Object.fromEntries(
      ASSUMPTION_NAMES.filter((name) => ASSUMPTIONS[name].scope === scope).map((name) => [name, defaultOf(name)]),
    );
  const account = await client.call(updateSettings, { body: ofScope('account') });
  const { controlToken } = await client.address();
  const platform = controlToken === null ? null : await client.call(updatePlatform, { body: ofScope('platform') });
  if (out.json) {
    return out.document(JSON.stringify({ data: { ...account.body.data, ...platform?.body.data } }));
  }
  out.note(`Every value of the account${platform ? ' and the platform' : ''} has its default.`);
  if (!platform) out.note('Platform values need the control token of the server and were left as they are.');
}

const defaultOf = (name: AssumptionName): unknown => ASSUMPTIONS[name].default;

/** @throws CommandError for an unknown name, and for one that is fixed while the server runs */
function nameOf(text: string): AssumptionName {
  if (!isAssumption(text)) throw usage(`There is no assumption "${text}". ${suggestion(text, ASSUMPTION_NAMES)}`);
  const { scope }: Assumption = ASSUMPTIONS[text];
  if (scope === 'server') throw usage(`${text} is fixed ${atStart(text)}`);
  return text;
}

/** For how long a value of the server is fixed, and how to set it, if it can be set. */
const atStart = (name: string): string => {
  if (name === 'rate_limit_source' || name === 'rate_limit_key')
    return 'while the server runs. Set both limits with layaway serve --rate-limit.';
  if (name === 'request_timeout_seconds') {
    return 'while the server runs. Set it with requestTimeoutSeconds of createSimulator in the library.';
  }
  return 'and cannot be changed.';
};

async function change({ client, out, show }: Cli, name: AssumptionName, value: unknown) {
  const { scope }: Assumption = ASSUMPTIONS[name];
  const operation = scope === 'platform' ? updatePlatform : updateSettings;
  const answer: Answer<object> = await client.call(operation, { body: { [name]: value } });
  await show(answer, (values) => out.facts([[name, text((values as Values)[name]), out.paint.bold]]));
}

/** @throws CommandError when the assumption takes no such value */
function valueFor(name: AssumptionName, typed: string): unknown {
  try {
    return typedValue(name, typed);
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw usage(error.message);
    throw error;
  }
}
