import { build } from 'tsdown';

// The command `tsdown` would also tell everybody on Node 20, which layaway supports, to use a newer Node.
await build({ logLevel: 'error' });
