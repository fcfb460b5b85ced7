import { LIST_DEFAULT, LIST_MAX } from '../../domain/limits.ts';
import type { Output } from '../terminal/output.ts';

/** Says that a list of the default length may be incomplete. */
export function noteRest(
  out: Output,
  items: string,
  { length }: readonly unknown[],
  limit: number | undefined,
  lengthByDefault = LIST_DEFAULT,
) {
  if (limit !== undefined || length < lengthByDefault) return;
  out.note(`The list ends after ${lengthByDefault} ${items}. Use --limit to list up to ${LIST_MAX}.`);
}
