import { LIST_DEFAULT, LIST_MAX } from '../../domain/limits.ts';
import type { Output } from '../terminal/output.ts';

/** Says that a list of the default length may be incomplete. */
export function noteRest(out: Output, items: string, { length }: readonly unknown[], limit: number | undefined) {
  if (limit !== undefined || length < LIST_DEFAULT) return;
  out.note(`The list ends after ${LIST_DEFAULT} ${items}. Use --limit to list up to ${LIST_MAX}.`);
}
