import { defineConfig } from 'vite';
import { thirdPartyNotices } from './scripts/notices.ts';

/** The dashboard's pages. `tsdown.config.ts` builds them into the package beside the code that serves them. */
export default defineConfig({
  root: 'src/web/dashboard',
  base: '/dashboard/',
  publicDir: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [thirdPartyNotices()],
  build: { outDir: '../../../dist/web/dashboard', emptyOutDir: true, target: 'es2022', modulePreload: false },
});
