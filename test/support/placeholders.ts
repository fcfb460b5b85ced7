/** What a sentence shows where a value is missing. Whole words, as a random id may well hold "NaN". */
export const PLACEHOLDER = /\b(?:undefined|null|NaN)\b|\$\{/;
