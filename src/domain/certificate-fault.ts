/** Why Node does not trust the certificate of a server, by the code of its error. */
const FAULTS = new Map<string | undefined, 'authority' | 'host' | 'expired' | 'early'>([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'authority'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'authority'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'authority'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'authority'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'authority'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'host'],
  ['CERT_HAS_EXPIRED', 'expired'],
  ['CERT_NOT_YET_VALID', 'early'],
]);

/** Undefined if the error is about something else. */
export const certificateFault = (code: string | undefined) => FAULTS.get(code);
