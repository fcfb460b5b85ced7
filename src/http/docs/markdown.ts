import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getControlDocument } from '../../operations/workspace.ts';

/** The Markdown files that the server serves. Their paths are those in the package, so that links between them work. */
export const MARKDOWN: Readonly<Record<string, string>> = {
  '/README.md': 'install it, five minutes, every command, tests and CI',
  '/docs/service.md': 'the Layaway Checkout Service that is simulated: resources, states, endpoints, errors, limits',
  '/docs/decisions.md': 'what the description of the service leaves open, and what the simulator does there',
  '/docs/webhooks.md': 'events, signatures, retries, and receivers for Express, Fastify, Next.js, Laravel and Python',
  '/docs/faults.md': 'rehearse lost responses, errors, duplicate and late webhooks',
  '/docs/coverage.md': 'every situation that coverage counts, how to reach it, and the findings',
  '/docs/debugging.md': 'why something happened, and a file that carries a failed run to another machine',
  '/docs/testing.md':
    'a merchant for each test under Bun, Deno, pytest, unittest, PHPUnit, JUnit, Go and RSpec, and containers',
  '/docs/scenarios.md': 'every step of a scenario with its fields, and what it can expect',
  '/docs/interface.md': 'the rules of the command line, the control plane and the library',
  '/docs/control-plane.md': 'every operation of the control plane, with its fields',
  '/CHANGELOG.md': 'what changed between versions',
  '/SECURITY.md': 'what is protected against whom, what is not, and how to report a vulnerability',
};

/** Relative to this module: in the built package, or in the sources. */
const HOMES = ['..', '../..', '../../..'];

/** @throws Error when the package lacks it */
async function shipped(path: string): Promise<string> {
  const file = placeOf(path);
  if (!file) throw new Error(`${path} is not part of this package.`);
  return readFile(file, 'utf8');
}

const placeOf = (path: string) =>
  HOMES.map((home) => new URL(`${home}${path}`, import.meta.url)).find((candidate) => existsSync(candidate));

/** Pictures are not part of the package, so the words that describe them take their place. */
export const markdownOf = async (path: keyof typeof MARKDOWN): Promise<string> =>
  (await shipped(path)).replace(/!\[([^\]]*)\]\([^)]+\)/g, '$1');

interface Linked {
  readonly type: string;
  text(): string | Promise<string>;
}

/** What the documents link to besides one another: the license, and each file and folder of `fixtures`. By their paths. */
export async function linkedFiles(): Promise<ReadonlyMap<string, Linked>> {
  const linked = new Map<string, Linked>();
  const add = (path: string) => linked.set(path, { type: 'text/plain; charset=utf-8', text: () => shipped(path) });
  add('/LICENSE');
  const folder = async (path: string, place: string) => {
    const entries = await readdir(place, { withFileTypes: true });
    const links = entries.map(({ name }) => `- [${name}](${posix.join(path, name)})\n`).sort();
    linked.set(path, { type: 'text/markdown; charset=utf-8', text: () => links.join('') });
    for (const entry of entries) {
      const inner = posix.join(path, entry.name);
      if (entry.isDirectory()) await folder(inner, join(place, entry.name));
      else add(inner);
    }
  };
  const fixtures = placeOf('/fixtures');
  if (fixtures) await folder('/fixtures', fileURLToPath(fixtures));
  return linked;
}

/** The index of the documentation for programs, in the format of llmstxt.org. */
export function indexOf(baseUrl: string, version: string): string {
  const link = (path: string, what: string) => {
    const name = path.slice(path.lastIndexOf('/') + 1).replace('.md', '');
    return `- [${name}](${baseUrl}${path}): ${what}`;
  };
  return `# layaway ${version}

> A local simulator of the Layaway Checkout Service. The service is under ${baseUrl}/v1. Alongside it, a control plane moves time, arranges failures and reads the inbox. Nothing is ever charged.

## Documentation

${Object.entries(MARKDOWN)
  .map(([path, what]) => link(path, what))
  .join('\n')}

## Descriptions for programs

- [OpenAPI of the service](${baseUrl}/openapi.json): every operation and webhook of \`/v1\`
- [OpenAPI of the control plane](${baseUrl}${getControlDocument.path}): every operation of the simulator itself

The command \`layaway --help --json\` prints every command with its flags and the schema of its output. \`layaway mcp\` offers
the levers as tools.
`;
}
