import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { scenarioReference } from '../../scripts/scenario-reference.ts';
import { runScenario } from '../../src/index.ts';
import { ScenarioFile } from '../../src/scenario/schema.ts';
import { blocksOf } from '../support/walk-through.ts';

const DOCUMENT = join(import.meta.dirname, '../../docs/scenarios.md');
const PUBLISHED = join(import.meta.dirname, '../../fixtures/scenario.schema.json');

test('docs/scenarios.md is printed from the schema (npm run openapi rewrites it)', async () => {
  await expect(scenarioReference()).toMatchFileSnapshot(DOCUMENT);
});

test('interface §5: fixtures/scenario.schema.json is the schema that validates (npm run openapi rewrites it)', async () => {
  await expect(`${JSON.stringify(ScenarioFile, null, 2)}\n`).toMatchFileSnapshot(PUBLISHED);
});

const examples = blocksOf(readFileSync(DOCUMENT, 'utf8'), 'yaml').map((text) => parse(text));

test.each(examples)('docs/scenarios.md: $name', async (scenario) => {
  expect(await runScenario(scenario)).toMatchObject({ status: 'passed' });
});
