import type { Rolldown } from 'tsdown';

/**
 * Reads what our modules import from Node once, when they are loaded, as an ES module would. In CommonJS, each use reads
 * it again: a test that replaces `crypto.randomBytes` in its process, or `http.request` as MSW does, would change the
 * simulator.
 */
export function boundImports(): Rolldown.Plugin {
  return {
    name: 'bound-imports',
    transform: {
      filter: { id: /\/src\/.+\.ts$/, code: /from 'node:/ },
      handler(code) {
        let bound = code;
        // From the end, so that the places before stay right.
        for (const node of this.parse(code, { lang: 'ts' }).body.toReversed()) {
          if (node.type !== 'ImportDeclaration' || !node.source.value.startsWith('node:')) continue;
          const names = node.specifiers.flatMap((specifier) =>
            specifier.type === 'ImportSpecifier' &&
            specifier.imported.type === 'Identifier' &&
            specifier.importKind !== 'type'
              ? [`${specifier.imported.name}: ${specifier.local.name}`]
              : [],
          );
          if (node.importKind === 'type' || names.length === 0) continue;
          const line = `const { ${names.join(', ')} } = process.getBuiltinModule('${node.source.value}');`;
          bound = bound.slice(0, node.start) + line + bound.slice(node.end);
        }
        return bound;
      },
    },
  };
}
