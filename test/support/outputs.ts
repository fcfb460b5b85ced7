import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { OUTPUTS, outputSchema } from '../../src/cli/machine/outputs.ts';

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false, allErrors: true });
addFormats.default(ajv);
const checks = new Map<string, ValidateFunction>();

/** The compiled schema of what a command prints with --json. */
export function outputCheck(command: string): ValidateFunction {
  const known = checks.get(command);
  if (known) return known;
  const schema = outputSchema(command);
  if (!schema) throw new Error(`layaway ${command} has no schema for --json.`);
  const check = ajv.compile(schema);
  checks.set(command, check);
  return check;
}

/** Throws unless a document matches the schema of its command (interface §13). */
export function expectDescribed(args: readonly string[], document: unknown): void {
  // Arguments after `--` belong to another program.
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  if (!own.includes('--json') || own.includes('--help') || own.includes('--version')) return;
  const words = own.filter((arg) => !arg.startsWith('-'));
  const command = [words.slice(0, 2).join(' '), words[0] ?? ''].find((name) => Object.hasOwn(OUTPUTS, name));
  if (command === undefined) return;
  const check = outputCheck(command);
  if (!check(document)) {
    const told = check.errors?.map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
    throw new Error(`layaway ${command} --json: ${told?.join('; ')}\n${JSON.stringify(document).slice(0, 2000)}`);
  }
}
