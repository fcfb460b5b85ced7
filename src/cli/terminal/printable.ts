/** Characters that steer a terminal, or the direction of the text around them. */
export const STEERING = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** A line of text that shows what would steer the reader's terminal as `\u{…}`. */
export const printable = (text: string): string =>
  text.replace(STEERING, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`);

/** The same for a JSON document, which stays one: within its texts they are escaped, between them they are blanks. */
export const printableJson = (document: string): string =>
  document.replace(STEERING, (character) => {
    if (character === '\n') return character;
    if (character === '\t' || character === '\r') return ' ';
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
