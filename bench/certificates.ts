/**
 * The environment with the certificates that this machine adds, for npm. Node 20 reads them at each start, which takes
 * longer than the rest of it, so nothing that is measured gets them.
 */
export const withCertificates: NodeJS.ProcessEnv = { ...process.env };
delete process.env.NODE_EXTRA_CA_CERTS;
