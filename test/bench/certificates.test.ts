import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('nothing that is measured reads the certificates of this machine; npm gets them', async () => {
  const before = process.env.NODE_EXTRA_CA_CERTS;
  process.env.NODE_EXTRA_CA_CERTS = '/nowhere.pem';
  const { withCertificates } = await import('../../bench/certificates.ts');
  const seen = (env: NodeJS.ProcessEnv) =>
    execFileSync(process.execPath, ['-p', 'process.env.NODE_EXTRA_CA_CERTS'], { env, stdio: 'pipe' }).toString().trim();
  const both = [seen(process.env), seen(withCertificates)];
  if (before !== undefined) process.env.NODE_EXTRA_CA_CERTS = before;
  expect(both).toEqual(['undefined', '/nowhere.pem']);
});
