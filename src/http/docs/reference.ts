import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** Where the browser bundle of the API reference is: in the built package, or in its own package in the sources. */
const HOMES = ['./docs/', '../docs/', '../../../node_modules/@scalar/fastify-api-reference/dist/js/'];

export async function referenceScript(): Promise<Buffer> {
  const files = HOMES.map((home) => new URL(`${home}standalone.js`, import.meta.url));
  const file = files.find((candidate) => existsSync(candidate));
  if (!file) throw new Error(`The API reference is not part of this build: ${files.join(', ')} do not exist.`);
  return readFile(file);
}

export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Layaway Checkout Service: API reference</title>
<link rel="icon" href="data:,">
<script defer src="/docs/assets/standalone.js"></script>
<script defer src="/docs/assets/start.js"></script>
</head>
<body>
<div id="reference"></div>
<noscript>This page needs JavaScript. The document it shows is <a href="/openapi.json">/openapi.json</a>.</noscript>
</body>
</html>
`;

/**
 * Requests go to the origin of the page. Everything that would contact another host is off. The hidden "Copy link" button
 * after each heading would make a narrow page scroll sideways, so what juts out is clipped.
 */
export const START = `Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  servers: [{ url: location.origin, description: 'The simulator.' }],
  defaultOpenAllTags: true,
  orderRequiredPropertiesFirst: false,
  orderSchemaPropertiesBy: 'preserve',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  customCss: '.references-rendered { overflow-x: clip }',
});
`;

/** Even if a setting above fails, the browser does not let the page contact another host. */
export const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
