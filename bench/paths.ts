import { fileURLToPath } from 'node:url';

/** The built bench runs in `node_modules/.cache/layaway-bench`. */
const rootUrl = new URL('../../../', import.meta.url);

export const root = fileURLToPath(rootUrl);
export const dist = new URL('dist/index.js', rootUrl).href;
export const bin = fileURLToPath(new URL('bin/layaway.js', rootUrl));
export const program = (name: string) => fileURLToPath(new URL(`${name}.js`, import.meta.url));
