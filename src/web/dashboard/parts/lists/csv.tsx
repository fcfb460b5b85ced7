import { NONE } from '../../words.ts';
import { saveFile } from './save-file.ts';

/** The text of a cell: instants in ISO 8601, full ids, no controls. */
function textOf(cell: Element): string {
  const parts: string[] = [];
  const read = (node: Node) => {
    if (node instanceof Text) {
      const text = node.data.replaceAll(/\s+/g, ' ').trim();
      if (text !== '' && text !== NONE) parts.push(text);
      return;
    }
    if (!(node instanceof Element) || node.matches('button, details, dialog, select, .unseen')) return;
    const whole = wholeOf(node);
    if (whole !== null) parts.push(whole);
    else for (const child of node.childNodes) read(child);
  };
  for (const child of cell.childNodes) read(child);
  return parts.filter((part, place) => part !== parts[place - 1]).join(' ');
}

/** What stands for the whole of an element, such as the full id; null if its children do. */
function wholeOf(element: Element): string | null {
  if (element.matches('time')) return element.getAttribute('datetime');
  if (element.matches('.id, code')) return element.getAttribute('title');
  return element.getAttribute('role') === 'img' ? element.getAttribute('aria-label') : null;
}

/** Quotes a field, and keeps a spreadsheet from running it as a formula. */
function csvField(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** A table in the order shown, as in RFC 4180. */
function csvOf(table: HTMLTableElement): string {
  const heads = [...table.querySelectorAll('thead th')];
  const shown = heads.map((head) => head.getAttribute('data-name') !== null);
  const lines = [
    heads.map((head) => head.getAttribute('data-name') ?? ''),
    ...[...table.querySelectorAll('tbody tr')].map((row) => [...row.children].map(textOf)),
  ];
  return lines
    .map(
      (line) =>
        `${line
          .filter((_, place) => shown[place])
          .map(csvField)
          .join(',')}\r\n`,
    )
    .join('');
}

/** Saves the rows shown of a table. The button is there before the rows, so that nothing moves. */
export function Csv({ of, rows }: { of: string; rows: readonly unknown[] | null | undefined }) {
  const save = () => {
    const table = document.querySelector<HTMLTableElement>(`table[aria-label="${of}"]`);
    if (!table) return;
    // Without this mark, spreadsheets do not recognize UTF-8.
    saveFile(`${of.toLowerCase().replaceAll(' ', '-')}.csv`, 'text/csv', `\u{feff}${csvOf(table)}`);
  };
  return (
    <button
      type="button"
      class="quiet"
      disabled={!rows?.length}
      onClick={save}
      title={`Saves the rows that are shown: ${of}`}
    >
      Save as CSV
    </button>
  );
}
