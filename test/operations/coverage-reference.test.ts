import { expect, test } from 'vitest';
import { coverageReference } from '../../scripts/coverage-reference.ts';
import { SITUATIONS } from '../../src/operations/coverage.ts';

test('docs/coverage.md is printed from the table (npm run openapi rewrites it)', async () => {
  await expect(coverageReference(SITUATIONS)).toMatchFileSnapshot('../../docs/coverage.md');
});
