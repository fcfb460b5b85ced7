/** Characters that control a terminal or the direction of text. */
export const STEERING = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** A line of text with such characters shown as `\u{…}`. */
export const printable = (text: string): string =>
  text.replace(STEERING, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`);

/**
 * The same for a JSON document, which stays valid: within strings they are escaped, between them they become spaces.
 */
export const printableJson = (document: string): string =>
  document.replace(STEERING, (character) => {
    if (character === '\n') return character;
    if (character === '\t' || character === '\r') return ' ';
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
