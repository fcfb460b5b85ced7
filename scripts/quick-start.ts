import type { Rolldown } from 'tsdown';

/*
 * A command is typed and waited for, and most of the wait is Node finding, reading and compiling files: few files, and
 * nothing that is not needed.
 */

/** What every command starts with, and what every command that makes a request goes on with: a file each. */
export const startChunks = {
  includeDependenciesRecursively: false,
  groups: [
    {
      name: 'cli/start',
      test: /\/src\/cli\/(describe|exit|globals|help|manifest|terminal\/(printable|pipes))\.ts$|\/node_modules\/commander\/|without-commander:/,
    },
    {
      name: 'cli/client',
      test: /\/src\/(exchange|cli\/(command|wait|input\/arguments|server\/\w[\w-]*|terminal\/(format|output|progress|prompt|table)))\.ts$/,
    },
  ],
} satisfies Rolldown.OutputOptions['codeSplitting'];

/** Commander can start a program for a subcommand. No command of ours is one, so what starts programs stays unloaded. */
export const commanderWithoutPrograms = () => without('commander', { 'node:child_process': 'undefined' });

/**
 * Fastify brings compilers of schemas and a logger, which the server replaces or leaves off, serves HTTP/2, and compares
 * versions of plugins, which this build has fixed.
 */
export const fastifyWithoutUnused = () =>
  without('fastify', {
    '@fastify/ajv-compiler': 'undefined',
    '@fastify/fast-json-stringify-compiler': 'undefined',
    pino: 'undefined',
    'node:http2': 'undefined',
    semver: '{ satisfies: () => true }',
  });

/** Bundles a package with `modules` in the place of what it requires, by name: the text of what each exports. */
function without(packageName: string, modules: Readonly<Record<string, string>>): Rolldown.Plugin {
  const prefix = `\0without-${packageName}:`;
  return {
    name: `without-${packageName}`,
    resolveId: (source, importer) =>
      source in modules && importer?.includes(`/node_modules/${packageName}/`) ? prefix + source : null,
    load: (id) => (id.startsWith(prefix) ? `module.exports = ${modules[id.slice(prefix.length)]}` : null),
  };
}
