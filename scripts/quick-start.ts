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
      test: /\/src\/cli\/(describe|exit|globals|help|manifest|terminal\/(printable|pipes))\.ts$|\/node_modules\/commander\/|commander-programs$/,
    },
    {
      name: 'cli/client',
      test: /\/src\/(exchange|cli\/(command|wait|input\/arguments|server\/\w[\w-]*|terminal\/(format|output|progress|prompt|table)))\.ts$/,
    },
  ],
} satisfies Rolldown.OutputOptions['codeSplitting'];

const NOTHING = '\0commander-programs';

/** Commander can start a program for a subcommand. No command of ours is one, so what starts programs stays unloaded. */
export function commanderWithoutPrograms(): Rolldown.Plugin {
  return {
    name: 'commander-without-programs',
    resolveId: (source, importer) =>
      source === 'node:child_process' && importer?.includes('/node_modules/commander/') ? NOTHING : null,
    load: (id) => (id === NOTHING ? 'module.exports = undefined' : null),
  };
}
