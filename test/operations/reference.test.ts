import { expect, test } from 'vitest';
import { controlPlaneReference } from '../../scripts/control-plane.ts';
import { CONTROL_OPERATIONS, NAMED } from '../../src/operations/index.ts';

test('docs/control-plane.md is printed from the operations (npm run openapi rewrites it)', async () => {
  await expect(controlPlaneReference(CONTROL_OPERATIONS, NAMED)).toMatchFileSnapshot('../../docs/control-plane.md');
});
