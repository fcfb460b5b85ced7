import { fileURLToPath } from 'node:url';

/** Everything here runs from `node_modules/.cache/layaway-bench`. */
const root = new URL('../../../', import.meta.url);

export const dist = new URL('dist/index.js', root).href;
export const bin = fileURLToPath(new URL('bin/layaway.js', root));
export const program = (name: string) => fileURLToPath(new URL(`${name}.js`, import.meta.url));
