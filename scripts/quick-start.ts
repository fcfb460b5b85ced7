import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Rolldown } from 'tsdown';

/*
 * Most of the time that a command takes to start goes into finding, reading and compiling files. So the build makes few
 * files and leaves out what is not needed.
 */

/**
 * Four files: what every command loads, what every command that makes a request also loads, what most of these share
 * with the server, and what the server shares with its parts that come later.
 */
export const startChunks = {
  includeDependenciesRecursively: false,
  groups: [
    {
      name: 'cli/start',
      test: either(
        source('', 'version'),
        source('cli/', 'current-folder describe exit globals help manifest program'),
        source('cli/input/', 'given-flags shell-quoted'),
        source('cli/terminal/', 'printable pipes'),
        /(?<!\/node_modules\/.+)\/package\.json$|\/node_modules\/commander\/|without-commander:/,
      ),
    },
    {
      name: 'cli/client',
      test: either(
        source('', 'exchange'),
        source('cli/', 'command wait'),
        source('cli/input/', 'arguments wait'),
        source('cli/server/', 'address answer client control-plane event-stream health known-address'),
        source('cli/server/', 'merchants nearest-server profiles proxy running'),
        source('cli/server/', 'second-server server-file silence transport url'),
        source('cli/show/', 'chaos contract delivery event happened session'),
        source('cli/terminal/', 'browser format output progress prompt table'),
        /\/node_modules\/eventsource-parser\//,
      ),
    },
    {
      name: 'shared',
      test: either(
        source('', 'nearest time/timers'),
        source('operations/', 'clock contracts list-query operation schemas service sessions tool-header'),
        source('domain/', 'availability calendar cannot-start certificate-fault chaos condition'),
        source('domain/', 'contract event history host installment'),
        source('domain/', 'json limits machine mode money promise refusal schedule scope session text'),
        /\/node_modules\/(?:fastest-levenshtein|typebox)\//,
      ),
    },
    {
      name: 'early',
      test: either(
        source('', 'sqlite certify/error scenario/error secrets/draw'),
        source('domain/', 'backoff secret-text'),
        source('http/', 'request-verbs serve unknown-routes access/guard log/masked'),
        source('http/input/', 'body endpoint merchant path query'),
        source('library/', 'client refused shop shops since tail wait'),
        source('library/levers/', 'assumptions clock contracts coverage emails events'),
        source('library/levers/', 'faults keys logs sessions waits webhooks'),
        source('trace/', 'rows scenario scrub'),
        source('webhook/', 'deliver sign verify'),
        /\/node_modules\/fast-(?:decode-uri-component|deep-equal)\//,
      ),
    },
  ],
} satisfies Rolldown.OutputOptions['codeSplitting'];

/** @throws Error for a file that was moved, because the chunks would then need each other before they are ready */
function source(folder: string, list: string): RegExp {
  const names = list.split(' ');
  const lost = names.find((name) => !existsSync(join(import.meta.dirname, '../src', `${folder}${name}.ts`)));
  if (lost !== undefined)
    throw new Error(`scripts/quick-start.ts names src/${folder}${lost}.ts, which does not exist.`);
  return new RegExp(`/src/${folder}(?:${names.join('|')})\\.ts$`);
}

function either(...tests: readonly RegExp[]): RegExp {
  return new RegExp(tests.map((test) => test.source).join('|'));
}

/** Commander can start a program for a subcommand. We have no such command, so `node:child_process` is left out. */
export const commanderWithoutPrograms = () => without('commander', { 'node:child_process': 'undefined' });

/** The settings are checked by the code that reads them, without a schema. */
export const confWithoutSchemas = () => without('conf', { 'ajv/dist/2020.js': '{}', 'ajv-formats': '{}' });

/**
 * The routes have no regular expressions that could be unsafe. At load, the router checks its own, which takes as long
 * as the rest of it.
 */
export const routerWithoutChecks = () => without('find-my-way', { 'safe-regex2': '() => true' });

/**
 * The server replaces or turns off Fastify's schema compilers and logger, trusts no proxy and does not serve HTTP/2. The
 * build fixes the versions of the plugins, so they need no check.
 */
export const fastifyWithoutUnused = () =>
  without('fastify', {
    '@fastify/ajv-compiler': 'undefined',
    '@fastify/fast-json-stringify-compiler': 'undefined',
    '@fastify/proxy-addr': 'undefined',
    pino: 'undefined',
    'node:http2': 'undefined',
    semver: '{ satisfies: () => true }',
  });

/**
 * TypeBox hides the kind of each schema in it, for checks of its own that nothing here runs. Hiding it takes half of
 * the time that the operations take to load. Only the mark of an optional property is kept, because its object reads
 * it.
 */
export const typeboxWithoutKinds = (): Rolldown.Plugin => {
  const modules: Readonly<Record<string, string>> = {
    create: 'export const Create = (_hidden, schema, options) => ({ ...schema, ...options });',
    update: `export function Update(current, hidden, changes) {
      const updated = { ...current, ...changes };
      if ('~optional' in current || '~optional' in hidden) Object.defineProperty(updated, '~optional', { value: true });
      return updated;
    }`,
  };
  return {
    name: 'typebox-without-kinds',
    load: (id) => modules[/\/typebox\/build\/system\/memory\/(\w+)\.mjs$/.exec(id)?.[1] ?? ''] ?? null,
  };
};

/** Bundles a package with substitutes for some of its imports: `modules` has the exported expression by module name. */
function without(packageName: string, modules: Readonly<Record<string, string>>): Rolldown.Plugin {
  const prefix = `\0without-${packageName}:`;
  return {
    name: `without-${packageName}`,
    resolveId: (source, importer) =>
      source in modules && importer?.includes(`/node_modules/${packageName}/`) ? prefix + source : null,
    load: (id) => (id.startsWith(prefix) ? `module.exports = ${modules[id.slice(prefix.length)]}` : null),
  };
}
