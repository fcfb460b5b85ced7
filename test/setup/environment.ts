/**
 * What a developer or a CI service sets for other programs: a server of layaway, colours, annotations, trust in every
 * certificate, a proxy. Of the proxies, npm may need the one for https.
 */
const FOREIGN = /^(?:LAYAWAY_.+|GITHUB_.+|(?:FORCE|NO)_COLOR|NODE_TLS_REJECT_UNAUTHORIZED|(?:HTTP|ALL)_PROXY)$/i;

/** Takes what would change a test out of the environment that its programs inherit. */
export default function setup() {
  const before = { ...process.env };
  for (const name of Object.keys(before)) if (FOREIGN.test(name)) delete process.env[name];
  // Node 20 reads the certificates that this variable names at each start, which takes longer than most commands do. Only
  // npm needs them, for the package registry: `scripts/nodes.js` gives them to it.
  if (before.NODE_EXTRA_CA_CERTS !== undefined) {
    process.env.CERTIFICATES_OF_NPM = before.NODE_EXTRA_CA_CERTS;
    delete process.env.NODE_EXTRA_CA_CERTS;
  }
  return () => Object.assign(process.env, before);
}
