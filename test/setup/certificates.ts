/**
 * Node 20 reads the certificates that this variable names at each start, which takes longer than most commands do. Only
 * npm needs them, for the package registry: `scripts/nodes.js` gives them to it.
 */
export default function setup() {
  const { NODE_EXTRA_CA_CERTS } = process.env;
  if (NODE_EXTRA_CA_CERTS === undefined) return;
  process.env.CERTIFICATES_OF_NPM = NODE_EXTRA_CA_CERTS;
  delete process.env.NODE_EXTRA_CA_CERTS;
  return () => {
    process.env.NODE_EXTRA_CA_CERTS = NODE_EXTRA_CA_CERTS;
  };
}
