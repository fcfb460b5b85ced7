import { build } from 'tsdown';

/**
 * Builds the program, or what another configuration says: `node scripts/build.js [config]`. The command `tsdown` would also
 * tell everybody on Node 20, which layaway supports, to use a newer Node.
 */
const [config] = process.argv.slice(2);
await build({ logLevel: 'error', ...(config && { config }) });
