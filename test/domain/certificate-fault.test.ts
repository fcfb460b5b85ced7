import { expect, test } from 'vitest';
import { certificateFault } from '../../src/domain/certificate-fault.ts';

test.each([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'authority'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'authority'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'authority'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'authority'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'authority'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'host'],
  ['CERT_HAS_EXPIRED', 'expired'],
  ['CERT_NOT_YET_VALID', 'early'],
  ['ECONNREFUSED', undefined],
  [undefined, undefined],
])('%s: the certificate is refused because of %s', (code, fault) => {
  expect(certificateFault(code)).toBe(fault);
});
