import type { Rolldown } from 'tsdown';

const BEYOND_ASCII = /[^\0-\x7f]/g;
/** An escape would change the text of a raw template, and would lose its meaning behind a backslash. */
const NOT_ESCAPABLE = /\braw`[^`]*[^\0-\x7f`]|\\[^\0-\x7f]/;

/**
 * Writes the program in ASCII. One character beyond Latin-1, such as a typographic quote in a message, makes V8 keep the
 * source of its whole file with two bytes per character for as long as the process runs.
 */
export function asciiSource(): Rolldown.Plugin {
  return {
    name: 'ascii-source',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk') continue;
        const [place] = NOT_ESCAPABLE.exec(file.code) ?? [];
        if (place) throw new Error(`${file.fileName}: ${place} cannot be written in ASCII.`);
        file.code = file.code.replace(BEYOND_ASCII, escaped);
      }
    },
  };
}

const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
