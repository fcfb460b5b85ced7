import { escaped } from '../../domain/text.ts';

/** Markup. Only `html` creates it, so that text cannot become markup by mistake. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

export type Part = Html | string | number | null | undefined | false | readonly Part[];

/** Escapes the parts of a template unless they are markup. Null, undefined and false print nothing. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]) =>
  new Html(String.raw({ raw: strings }, ...parts.map(print)));

function print(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Html) return part.markup;
  if (typeof part === 'object') return part.map(print).join('');
  return escaped(String(part));
}
