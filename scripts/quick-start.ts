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
      test: /(?<!\/node_modules\/.+)\/package\.json$|\/src\/version\.ts$|\/src\/cli\/(current-folder|describe|exit|globals|help|manifest|program|terminal\/(printable|pipes))\.ts$|\/node_modules\/commander\/|without-commander:/,
    },
    {
      name: 'cli/client',
      test: /\/src\/(exchange|cli\/(command|wait|input\/(arguments|wait)|server\/(?!write-trace|young-generation)\w[\w-]*|show\/\w+|terminal\/(browser|format|output|progress|prompt|table)))\.ts$|\/node_modules\/eventsource-parser\//,
    },
    {
      name: 'shared',
      test: /\/src\/(nearest|time\/timers|operations\/(clock|contracts|list-query|operation|schemas|service|sessions|tool-header)|domain\/(availability|calendar|cannot-start|chaos|condition|contract|event|history|host|installment|json|limits|machine|mode|money|refusal|schedule|scope|session|text))\.ts$|\/node_modules\/(fastest-levenshtein|typebox)\//,
    },
    {
      name: 'early',
      test: /\/src\/(sqlite|domain\/(backoff|secret-text)|secrets\/draw|(certify|scenario)\/error|http\/(acting|masked|serve|unknown-routes|access\/guard|input\/(body|endpoint|merchant|path|query))|library\/(client|refused|shops?)|trace\/(rows|scenario|scrub)|webhook\/(deliver|sign|verify))\.ts$|\/node_modules\/fast-(decode-uri-component|deep-equal)\//,
    },
  ],
} satisfies Rolldown.OutputOptions['codeSplitting'];

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
 * TypeBox hides the kind of each schema in it, for checks of its own that nothing here runs. To hide it takes half of the
 * time in which the operations load. That a property is optional is what its object reads.
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
