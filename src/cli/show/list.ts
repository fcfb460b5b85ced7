import { LIST_DEFAULT, LIST_MAX } from '../../domain/limits.ts';
import type { Cli } from '../command.ts';
import type { Answer } from '../server/client.ts';

/** What was asked for. */
interface Listing {
  /** The name of the items, in the plural. */
  readonly items: string;
  /** Where one is given, there may be other items. */
  readonly filters: Readonly<Record<string, unknown>>;
  readonly limit: number | undefined;
  readonly lengthByDefault?: number;
  /** How to get the first item. */
  readonly how?: string;
}

/** Shows a list. If it has no items, or the default length and so perhaps not all of them, a note says so. */
export const showList = <Item>(
  cli: Cli,
  answer: Answer<readonly Item[]>,
  { items, filters, limit, lengthByDefault = LIST_DEFAULT, how }: Listing,
  print: (data: readonly Item[]) => void | Promise<void>,
) =>
  cli.show(answer, async (data) => {
    if (data.length === 0) {
      const isFiltered = Object.values(filters).some((filter) => filter !== undefined);
      const none = isFiltered ? [`No matching ${items}.`] : [`There are no ${items}.`, how];
      return cli.out.note(none.filter(Boolean).join(' '));
    }
    await print(data);
    if (limit !== undefined || data.length < lengthByDefault) return;
    cli.out.note(`The list ends after ${lengthByDefault} ${items}. Use --limit to list up to ${LIST_MAX}.`);
  });
