import { BadInput } from './domain/cannot-start.ts';
import { Refusal } from './domain/refusal.ts';

/** What a fixture is refused for: paths in it, and a sentence or more for each. */
type Mistakes = readonly (readonly [path: string, messages: readonly string[]])[];

/**
 * Reads a fixture file, YAML or JSON, and does `use` with what it holds; an object is taken as it is.
 * @throws BadInput when it cannot be read, or is refused
 */
export async function useFixture<T>(source: string | object, use: (content: unknown) => T): Promise<T> {
  if (typeof source !== 'string')
    return explained(
      'The fixture',
      (mistakes) => mistakes.map(told),
      () => use(source),
    );
  const name = `The fixture ${source}`;
  const { firstOf, readText, Unreadable, useYaml } = await import('./yaml.ts');
  try {
    return useYaml(source, await readText(source), ({ value, placeOf }) => {
      const placed = (mistakes: Mistakes) =>
        firstOf(mistakes, (mistake) => `${placeOf(mistake[0].split('.'), true)} ${told(mistake)}`);
      return explained(name, placed, () => use(value ?? {}));
    });
  } catch (error) {
    if (error instanceof Unreadable) throw badInput(`${name} cannot be read.`, error.mistakes);
    const { code } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : new BadInput(`${name} cannot be read (${code}). Check the path.`);
  }
}

const told = ([path, [message]]: Mistakes[number]) => `${path}: ${message}`;

/** A refusal as sentences for whoever starts the server; another error as it is. */
function explained<T>(name: string, tell: (mistakes: Mistakes) => string[], use: () => T): T {
  try {
    return use();
  } catch (error) {
    if (!(error instanceof Refusal) || !error.is('invalid')) throw error;
    throw badInput(`${name} cannot be used.`, tell(Object.entries(error.details[0])));
  }
}

const badInput = (what: string, mistakes: readonly string[]) =>
  new BadInput(`${what} Correct this:\n${mistakes.map((line) => `  ${line}`).join('\n')}`);
