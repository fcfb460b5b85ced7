import { readFile } from 'node:fs/promises';
import { CannotStart } from './domain/cannot-start.ts';
import { Refusal } from './domain/refusal.ts';

/**
 * What a fixture file holds, YAML or JSON; an object is taken as it is.
 * @throws CannotStart when it cannot be read
 */
export async function readFixture(source: string | object): Promise<unknown> {
  if (typeof source !== 'string') return source;
  const text = await readFile(source, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CannotStart(`The fixture ${source} cannot be read (${error.code}). Check the path.`);
  });
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text);
  const [mistake] = document.errors;
  // The library shows the place below its sentence; the sentence names it already.
  if (mistake) throw new CannotStart(`The fixture ${source} is no YAML: ${mistake.message.split('\n')[0]}`);
  return document.toJS() ?? {};
}

/** A refusal of a fixture as a sentence for whoever starts the server; another error as it is. */
export function explainFixture(error: unknown, source: string | object): unknown {
  if (!(error instanceof Refusal) || !error.is('invalid')) return error;
  const name = typeof source === 'string' ? `The fixture ${source}` : 'The fixture';
  const lines = Object.entries(error.details[0]).map(([path, [message]]) => `  ${path}: ${message}`);
  return new CannotStart(`${name} cannot be used. Correct this:\n${lines.join('\n')}`);
}
