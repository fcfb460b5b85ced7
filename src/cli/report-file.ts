import { existsSync } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileReason } from '../domain/file-error.ts';
import { failure, usage } from './exit.ts';
import { writeWhole } from './whole-file.ts';

export const FORMATS = ['text', 'json', 'html', 'junit'] as const;
export type Format = (typeof FORMATS)[number];

const BY_ENDING: Readonly<Record<string, Format>> = { json: 'json', html: 'html', xml: 'junit', txt: 'text' };

/** The format of the ending of a file; undefined for other endings. */
export const formatOf = (file: string): Format | undefined => BY_ENDING[/\.(\w+)$/.exec(file)?.[1] ?? ''];

/**
 * The format of a report: the one asked for, otherwise that of the file's ending if it is among `formats`, otherwise the first
 * of these. What is printed with --json is JSON, and so is a file whose format nothing names.
 */
export function reportFormat<F extends string>(
  formats: readonly [F, ...F[]],
  asked: { readonly format: F | undefined; readonly output: string | undefined },
  isJson: boolean,
): F | 'json' {
  const { format, output } = asked;
  if (isJson && output === undefined) return 'json';
  const ending = formatOf(output ?? '');
  return format ?? formats.find((each) => each === ending) ?? (isJson ? 'json' : formats[0]);
}

/**
 * Checks, before the work, that a report can be written there later. Nothing is written yet: an older report stays until
 * there is a new one.
 * @throws CommandError
 */
export async function checkReportFile(file: string) {
  try {
    const found = await stat(file).catch(() => null);
    if (found?.isDirectory() || /[\\/]$/.test(file)) throw Object.assign(new Error(), { code: 'EISDIR' });
    // The dot makes a file in the place of the folder an error.
    await access(found ? file : `${existing(dirname(file))}/.`, constants.W_OK);
  } catch (error) {
    throw failure(`The report cannot be written to ${file} (${fileReason(error)}). Name another file.`, error);
  }
}

/** The folder, or the nearest one above it that exists: the others are made with the report. */
function existing(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : existing(dirname(folder));
}

/** The files that a command writes at its end, by their flags. */
export type Written = Readonly<Record<string, string | undefined>>;

/** What is written to a device, such as /dev/null, overwrites nothing. */
export const filesIn = (written: Written) =>
  Object.entries(written).flatMap(([flag, file]) =>
    file === undefined || file.startsWith('/dev/') ? [] : [[flag, file] as const],
  );

/** @throws CommandError when two flags name the same file */
export function refuseSameFile(written: Written) {
  const taken = new Map<string, string>();
  for (const [flag, file] of filesIn(written)) {
    const other = taken.get(resolve(file));
    if (other) throw usage(`${other} and ${flag} name the same file, ${file}. Name two files.`);
    taken.set(resolve(file), flag);
  }
}

/**
 * Writes a report and makes its folder if necessary, or prints the report, so that it is not lost.
 * @throws CommandError when the file cannot be written
 */
export async function writeReport(file: string, text: string, print: (text: string) => void) {
  try {
    await writeWhole(file, text);
  } catch (error) {
    print(text);
    throw failure(`The report could not be written to ${file} (${fileReason(error)}), so it was printed.`, error);
  }
}
