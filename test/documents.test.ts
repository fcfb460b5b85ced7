import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CHECKS } from '../src/certify/checks.ts';
import { ASSUMPTIONS } from '../src/domain/assumptions.ts';
import { EVENT_TYPES } from '../src/domain/event.ts';
import { FAULT_KINDS } from '../src/domain/faults.ts';
import { FINDING_RULES } from '../src/domain/findings.ts';
import { VERB_NAMES } from '../src/scenario/schema.ts';
import { sectionOf } from './support/walk-through.ts';

/** The tables that people write have a row for each entry of the table in the code. Other documents are printed from it. */

const sectionIn = (document: string, title: string) =>
  sectionOf(readFileSync(join(import.meta.dirname, `../docs/${document}.md`), 'utf8'), title);

const quoted = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string);

/** The names in the first cell of each row. */
const namesIn = (section: string) =>
  [...section.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell]) => quoted(cell as string));

test('decisions §2 has every value of ASSUMPTIONS, by its name', () => {
  expect(namesIn(sectionIn('decisions', '2. ')).sort()).toEqual(Object.keys(ASSUMPTIONS).sort());
});

test('decisions §6 names every type of event, and docs/webhooks.md has its row, in order', () => {
  const [, list = ''] = /^The events are (.*?)\.$/ms.exec(sectionIn('decisions', '6. ')) ?? [];
  expect(quoted(list)).toEqual(EVENT_TYPES);
  expect(namesIn(sectionIn('webhooks', 'Events'))).toEqual(EVENT_TYPES);
});

test('interface §5 names every step of scenarios', () => {
  const [, list = ''] = /^- The steps are (.*?)^- /ms.exec(sectionIn('interface', '5. ')) ?? [];
  expect(quoted(list)).toEqual(expect.arrayContaining(VERB_NAMES));
});

test.each([
  ['interface', '7. '],
  ['faults', 'Every kind'],
])('docs/%s.md, "%s…", has every kind of fault, in order', (document, title) => {
  const kinds = namesIn(sectionIn(document, title)).filter((name) => FAULT_KINDS.some((kind) => kind === name));
  expect(kinds).toEqual(FAULT_KINDS);
});

test('interface §9 has every finding, in order', () => {
  expect(namesIn(sectionIn('interface', '9. '))).toEqual(FINDING_RULES);
});

test('interface §10 has every check of certify with its level, in order', () => {
  const rows = [...sectionIn('interface', '10. ').matchAll(/^\| (`[^|]+) \| ([^|]+) \|/gm)];
  const told = rows.flatMap(([, names = '', levels = '']) =>
    quoted(names).map((id, index) => ({ id, level: levels.split(', ')[index] ?? levels })),
  );
  expect(told).toEqual(CHECKS.map(({ id, level }) => ({ id, level })));
});
