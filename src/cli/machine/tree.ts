import { type Argument, Command, type Option } from 'commander';
import { EXIT } from '../exit.ts';
import { GLOBAL_FLAGS, VERSION_FLAG } from '../globals.ts';
import { MANIFEST } from '../manifest.ts';
import { OUTPUTS, outputSchema } from './outputs.ts';

/** A command as a program reads it (interface §13). */
export interface CommandNode {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly ArgumentNode[];
  readonly flags: readonly FlagNode[];
  /** What each exit code means, by the code. */
  readonly exit_codes: Readonly<Record<string, string>>;
  /** JSON Schema of what `--json` prints; null if it prints no JSON. */
  readonly output: object | null;
  readonly commands: readonly CommandNode[];
}
interface ArgumentNode {
  readonly name: string;
  readonly required: boolean;
  readonly variadic: boolean;
  readonly description: string;
}
interface FlagNode {
  readonly name: string;
  readonly short: string | null;
  readonly type: 'boolean' | 'string' | 'integer' | 'list' | 'map';
  readonly choices: readonly string[] | null;
  readonly default: unknown;
  readonly required: boolean;
  /** It may be given more than once, and every value counts. */
  readonly repeatable: boolean;
  readonly description: string;
}

/** Every command, or those below the given words; null when there is none of that name. */
export async function treeOf(words: readonly string[]): Promise<CommandNode | null> {
  const program = new Command('layaway').description('Local sandbox for the Layaway Checkout Service.');
  for (const [flags, summary] of GLOBAL_FLAGS) program.option(flags, summary);
  program.option(...VERSION_FLAG).option('-h, --help', 'display help for command');
  for (const { name, hidden, load } of MANIFEST) {
    if (hidden) continue;
    const noun = new Command(name);
    (await load()).default(noun);
    program.addCommand(noun);
  }
  const found = words.reduce<Command | undefined>(
    // What follows the words of a command are its arguments.
    (command, word) =>
      command?.commands.length === 0 ? command : command?.commands.find((each) => each.name() === word),
    program,
  );
  return found ? nodeOf(found, words) : null;
}

function nodeOf(command: Command, words: readonly string[]): CommandNode {
  const path = words.join(' ');
  return {
    name: command.name(),
    description: command.description(),
    arguments: command.registeredArguments
      .filter((argument) => argument.name() !== MISTYPED)
      .map((argument) => argumentOf(argument, command.usage(), path)),
    flags: command.options.filter(({ hidden }) => !hidden).map(flagOf),
    exit_codes: exitCodesOf(path),
    output: outputSchema(path) ?? null,
    commands: command.commands.map((each) => nodeOf(each, [...words, each.name()])),
  };
}

/** Verbs ask for missing arguments themselves, so only the usage shows which are required. */
function argumentOf(argument: Argument, usage: string, path: string): ArgumentNode {
  // In parentheses, a flag can replace it.
  const needed = usage.replace(/\(.*\)/, '');
  return {
    name: argument.name(),
    required:
      argument.required || needed.includes(`<${argument.name()}>`) || needed.includes(`<${argument.name()}...>`),
    variadic: argument.variadic,
    description: argument.description || aboutArgument(argument.name(), path),
  };
}

/** Where `layaway coverage` catches a mistyped verb. */
const MISTYPED = 'verb';

/** By name, or by command and name. */
const ABOUT_ARGUMENTS: Readonly<Record<string, string>> = {
  'exec command': 'command to run, and its arguments',
  'schema command': 'words of a command, such as contracts list',
  scenario: 'scenario file, in YAML or JSON',
  'sessions id': 'id of a checkout session: cs_…',
  'events id': 'id of an event: evt_…',
  'webhooks id': 'id of an endpoint: we_…',
  'deliveries id': 'id of a delivery: dlv_…',
  'faults id': 'id of a fault: flt_…',
  'emails id': 'id of an email',
  'merchants id': 'id of a merchant',
  'keys id': 'id of an API key',
  'explain id':
    'id of a session, contract, installment (LAY-…#n), event, delivery, email, request, attempt or endpoint',
  ref: 'reference of a contract: LAY-…',
  outcome: 'pay or fail, one for each attempt',
  n: 'number of the installment (default: the earliest overdue one)',
  duration: 'how far: 30s, 45m, 36h, 30d, 2w, 3mo, or ISO 8601',
  type: 'event type',
  url: 'URL of the receiver',
  framework: 'framework of the receiver',
  folder: 'folder to write into (default: this one)',
  kind: 'kind of the fault',
  json: 'report that coverage --json wrote',
  'assumptions name': 'name of the assumption',
  'snapshots name': 'name of the snapshot',
  value: 'new value',
  'trace file': 'trace file',
  key: 'base-url, client-id or api-key',
  profile: 'name of the profile',
};

const aboutArgument = (name: string, path: string) =>
  ABOUT_ARGUMENTS[`${path.split(' ', 1)[0]} ${name}`] ?? ABOUT_ARGUMENTS[name] ?? '';

function flagOf(option: Option): FlagNode {
  return {
    name: option.long ?? option.flags,
    short: option.short ?? null,
    type: typeOf(option),
    choices: option.argChoices ?? null,
    default: option.defaultValueDescription ?? option.defaultValue ?? describedDefault(option),
    // Only the help says so: commands ask for missing flags themselves, so to commander every flag is optional.
    required: option.description.includes('(required)'),
    repeatable: option.variadic || /\brepeatable\b/.test(option.description),
    description: option.description,
  };
}

/** A number or a choice that only the description names, because the server or the command fills it in. */
function describedDefault({ description, argChoices }: Option): number | string | null {
  const described = /\(default: ([^)]+)\)/.exec(description)?.[1] ?? '';
  if (/^\d+$/.test(described)) return Number(described);
  return argChoices?.includes(described) ? described : null;
}

function typeOf(option: Option): FlagNode['type'] {
  if (option.isBoolean() || option.negate) return 'boolean';
  const placeholder = /<(.+)>/.exec(option.flags)?.[1] ?? '';
  if (option.variadic || /^(list|events)$|,/.test(placeholder)) return 'list';
  if (/=|:.*value/i.test(placeholder) && !placeholder.includes('[')) return 'map';
  return /^(n|cents|port|page|number|seconds)$/.test(placeholder) ? 'integer' : 'string';
}

const MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'done',
  failure: 'unexpected failure, such as a busy port or a full disk',
  usage: 'usage error',
  refused: 'the service refused; its body is printed',
  unreachable: 'the service cannot be reached',
  expectation: 'an expectation failed or a wait timed out',
  interrupted: 'interrupted',
};

/** Commands that exit with 5 when an expectation fails. */
const EXPECTING =
  /^(run|compare|certify|coverage( merge)?|clock advance|env|events wait|emails wait|webhooks (test|verify)|exec)$/;
/** Commands that need no running server. */
const ALONE = /^(serve|coverage merge|completion|schema|config.*|new|trace (open|show|scenario)|webhooks verify)$/;
/** Commands that a signal ends as it should. */
const UNTIL_STOPPED = /^(serve|listen|mcp|trace open|events tail|logs tail)$/;

function exitCodesOf(path: string): Readonly<Record<string, string>> {
  const isGroup = path !== '' && OUTPUTS[path] === undefined;
  const codes = (Object.keys(EXIT) as (keyof typeof EXIT)[]).filter((name) => {
    if (name === 'expectation') return path === '' || isGroup || EXPECTING.test(path);
    if (name === 'refused' || name === 'unreachable') return !ALONE.test(path);
    if (name === 'interrupted') return !UNTIL_STOPPED.test(path);
    return true;
  });
  return Object.fromEntries(codes.map((name) => [EXIT[name], MEANINGS[name]]));
}
