import { describe, expect, test } from 'vitest';
import { day, relative, shorten, when, width } from '../../../src/cli/terminal/format.ts';
import { printable } from '../../../src/cli/terminal/printable.ts';
import { factLines, table, wrapped } from '../../../src/cli/terminal/table.ts';

const NOW = Date.parse('2026-01-01T10:00:00Z');

describe('interface §1: what a person reads', () => {
  test.each([
    ['2026-01-01T10:00:00Z', 'now'],
    ['2026-01-01T10:00:30Z', 'in 30 seconds'],
    ['2026-01-01T09:59:00Z', '1 minute ago'],
    ['2026-01-01T11:00:00Z', 'in 1 hour'],
    ['2026-01-01T10:59:59Z', 'in 1 hour'],
    ['2026-01-01T09:30:20Z', '30 minutes ago'],
    ['2026-01-01T10:00:59.600Z', 'in 1 minute'],
    ['2026-01-02T13:00:00Z', 'in 27 hours'],
    ['2026-01-03T09:59:00Z', 'in 2 days'],
    ['2026-01-14T10:00:00Z', 'in 13 days'],
    ['2025-12-25T10:00:00Z', '7 days ago'],
  ])('%s is %s', (iso, text) => expect(relative(Date.parse(iso), NOW)).toBe(text));

  test.each([
    ['2026-01-01', '2026-01-01 (today)'],
    ['2026-01-02', '2026-01-02 (tomorrow)'],
    ['2025-12-31', '2025-12-31 (yesterday)'],
    ['2026-01-15', '2026-01-15 (in 14 days)'],
  ])('the date %s counts calendar days: %s', (date, text) => expect(day(date, NOW)).toBe(text));

  test.each([
    ['2025-12-18T00:00:00Z', '14 days ago'],
    ['2026-01-14T00:00:00Z', 'in 13 days'],
    ['2026-01-15T23:59:00Z', 'in 14 days'],
  ])('the instant %s is as many days away as its date: %s', (iso, away) => {
    const lateInTheDay = Date.parse('2026-01-01T18:00:00Z');
    expect(when(iso, lateInTheDay)).toContain(`(${away})`);
    expect(day(iso.slice(0, 10), lateInTheDay)).toContain(`(${away})`);
  });

  test('no instant is an em dash', () => expect(when(null, NOW)).toBe('—'));

  test('what others typed cannot steer the terminal', () => {
    expect(printable('a\u001b[31mb\r\n\u202ec\u009b\u200f\u061c')).toBe(
      'a\\u{1b}[31mb\\u{d}\\u{a}\\u{202e}c\\u{9b}\\u{200f}\\u{61c}',
    );
  });

  test('wide characters take two columns, marks none', () => {
    expect(width('日本')).toBe(4);
    expect(width('e\u0301')).toBe(1);
    for (const emoji of ['✅', '⚡', '⭐', '🇩🇪', '❤️', '🎉']) expect(width(emoji), emoji).toBe(2);
    expect(width('Ünal — “Zoë”…')).toBe(13);
    expect(width(shorten('日本語の名前', 6))).toBeLessThanOrEqual(6);
    expect(shorten('𠮷𠮷𠮷𠮷', 4)).toBe('𠮷…');
    expect(shorten('e\u0301'.repeat(9), 4)).toBe(`${'e\u0301'.repeat(3)}…`);
    expect(shorten('👩‍👩‍👧🎉🎉', 5)).toBe('👩‍👩‍👧🎉…');
  });
});

describe('interface §1: tables fit the terminal', () => {
  const shape = [{ title: 'ID' }, { title: 'NAME', shrinks: true }, { title: 'PAID', figures: true }] as const;
  const rows = [
    ['LAY-7K3M9QXAHD', 'Ada Byron, Countess of Lovelace', '$5.00'],
    ['LAY-1', 'Bo', '$1,000.00'],
  ];

  test('of as many rows as there are contracts', () => {
    const lines = table(
      [{ title: 'N' }],
      Array.from({ length: 200_000 }, (_, n) => [String(n)]),
      Number.POSITIVE_INFINITY,
    );
    expect(lines).toHaveLength(200_001);
  });

  test('columns are aligned, figures to the right', () => {
    expect(table(shape, rows, 80)).toEqual([
      'ID              NAME                                  PAID',
      'LAY-7K3M9QXAHD  Ada Byron, Countess of Lovelace      $5.00',
      'LAY-1           Bo                               $1,000.00',
    ]);
  });

  test.each([40, 45, 50, 57])('at %i columns no line is longer, and no id or amount is cut', (columns) => {
    const many = Array.from({ length: 20 }, (_, at) => rows[at % 2] as string[]);
    const lines = table(shape, many, columns);
    expect(lines).toHaveLength(21);
    for (const line of lines) expect(width(line)).toBeLessThanOrEqual(columns);
    expect(lines.join('\n')).toContain('LAY-7K3M9QXAHD');
    expect(lines.join('\n')).toContain('Ada Byr');
    expect(lines.join('\n')).not.toContain('Lovelace');
    expect(lines.join('\n')).toContain('$1,000.00');
  });

  test('nothing is cut of a list that is no longer than a screen without that', () => {
    const lines = table(shape, rows, 57);
    expect(lines.slice(0, 3)).toEqual(['id    LAY-7K3M9QXAHD', 'name  Ada Byron, Countess of Lovelace', 'paid  $5.00']);
  });

  test('sentences that do not fit go below their row, whole', () => {
    const told = [...shape, { title: 'MEANING', sentences: true }] as const;
    const [ada = [], bo = []] = rows;
    const meant = [
      [...ada, 'who saw what the engine could do, long before there was one'],
      [...bo, ''],
    ];
    expect(table(told, meant, 120)[1]).toMatch(/^LAY-7K3M9QXAHD {2}Ada .*\$5\.00 {2}who saw .* there was one$/);
    expect(table(told, meant, 58)).toEqual([
      'ID              NAME                                  PAID',
      'LAY-7K3M9QXAHD  Ada Byron, Countess of Lovelace      $5.00',
      '  who saw what the engine could do, long before there was',
      '  one',
      'LAY-1           Bo                               $1,000.00',
    ]);
    // A list that is longer than a screen is cut as any other, but its sentences are not.
    expect(table(told, meant, 50)[0]).toMatch(/^id +LAY-7K3M9QXAHD$/);
    const long = table(told, Array(20).fill(meant[0]), 50);
    expect(long).toHaveLength(1 + 20 * 3);
    expect(long.slice(1, 4)).toEqual([
      'LAY-7K3M9QXAHD  Ada Byron, Countess of Lov…  $5.00',
      '  who saw what the engine could do, long before',
      '  there was one',
    ]);
    expect(table(told, Array(20).fill(meant[0]), 25)[0]).toMatch(/^id +LAY-7K3M9QXAHD$/);
  });

  test('where aligned columns cannot fit, each fact has its line', () => {
    expect(table(shape, rows, 20)).toEqual([
      'id    LAY-7K3M9QXAHD',
      'name',
      '  Ada Byron,',
      '  Countess of',
      '  Lovelace',
      'paid  $5.00',
      '',
      'id    LAY-1',
      'name  Bo',
      'paid  $1,000.00',
    ]);
  });

  test('facts are aligned under one another', () => {
    expect(
      factLines(
        [
          ['a', '1'],
          ['long', '2'],
        ],
        40,
      ),
    ).toEqual(['a     1', 'long  2']);
  });
});

describe('interface §1: prose fits the terminal', () => {
  const TEXT = 'First run `layaway clock advance 14d`, then look at cs_0123456789012345678901.';

  test('lines break between words; a command in backticks stays whole', () => {
    expect(wrapped(TEXT, 30)).toEqual([
      'First run',
      '`layaway clock advance 14d`,',
      'then look at',
      'cs_0123456789012345678901.',
    ]);
    expect(wrapped(TEXT, 20)[1]).toBe('`layaway clock advance 14d`,');
    expect(wrapped('one ` two three', 9)).toEqual(['one ` two', 'three']);
    expect(wrapped(TEXT, Number.POSITIVE_INFINITY)).toEqual([TEXT]);
  });

  test('only the lines after the first are shorter where they hang', () => {
    expect(wrapped('aaa bbb ccc ddd', 7, 4)).toEqual(['aaa bbb', 'ccc', 'ddd']);
  });

  test('what is painted stays painted on every line, and nothing else', () => {
    const marked = (text: string) => `<${text}>`;
    expect(wrapped([['LAY-1  ', marked], ['is past due'], [' since then', marked]], 12)).toEqual([
      '<LAY-1  >is',
      'past due',
      '<since then>',
    ]);
  });
});
