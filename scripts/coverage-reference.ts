import { FINDINGS } from '../src/domain/findings.ts';
import { SITUATION_GROUPS, type Situation } from '../src/domain/situations.ts';

/** `docs/coverage.md`: every situation, by group, and every finding. */
export function coverageReference(situations: readonly Situation[]): string {
  return [
    '# What a store can meet',
    `The ${situations.length} situations that \`layaway coverage\` counts, and the findings that it tells. Printed from the table; \`npm run openapi\`\nrewrites it. The rules are in [interface.md](interface.md) §9. Sections are those of [service.md](service.md),\n[decisions.md](decisions.md) and [interface.md](interface.md).`,
    ...Object.entries(SITUATION_GROUPS).flatMap(([id, title]) => [
      `## ${title}`,
      [
        '| Situation | What happened | How to reach it | Section |',
        '|---|---|---|---|',
        ...situations
          .filter(({ group }) => group === id)
          .map((row) => `| \`${row.id}\` | ${cell(row.title)} | ${cell(row.how)} | ${row.section} |`),
      ].join('\n'),
    ]),
    '## Findings',
    'Habits that fail in production. `must`: it loses money or orders sooner or later. `should`: it costs, or fails under load.',
    [
      '| Rule | Severity | What the store does | Why it matters, and what to do |',
      '|---|---|---|---|',
      ...Object.entries(FINDINGS).map(
        ([rule, { severity, title, why }]) => `| \`${rule}\` | ${severity} | ${cell(title)} | ${cell(why)} |`,
      ),
    ].join('\n'),
  ]
    .join('\n\n')
    .concat('\n');
}

const cell = (text: string) => text.replaceAll('|', '\\|');
