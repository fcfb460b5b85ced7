import { expect, test } from 'vitest';
import { wireTypes } from '../../scripts/wire-types.ts';
import { NAMED } from '../../src/operations/index.ts';

test('the published types are those of the schemas (npm run openapi rewrites them)', async () => {
  await expect(wireTypes(NAMED)).toMatchFileSnapshot('../../src/operations/wire.ts');
});
