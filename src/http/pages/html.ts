import { escapeHtml } from '../../domain/email.ts';

/** Markup. Only `html` makes it, so text cannot become markup by mistake. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

export type Part = Html | string | number | null | undefined | false | readonly Part[];

/** A template. It escapes its parts unless they are markup; null, undefined and false print nothing. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]) =>
  new Html(String.raw({ raw: strings }, ...parts.map(print)));

function print(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Html) return part.markup;
  if (typeof part === 'object') return part.map(print).join('');
  return escapeHtml(String(part));
}
