import type { Rolldown } from 'tsdown';

/** A module of Node that is loaded when it is needed. */
const LATER = /\bimport\((['"]node:[\w/]+['"])\)/g;

/**
 * Reads what our modules import from Node once, when they are loaded, as an ES module would. In CommonJS, each use reads
 * it again: a test that replaces `crypto.randomBytes` in its process, or `http.request` as MSW does, would change the
 * simulator. No `import()` is left, because V8 refuses it in code that it compiled in an earlier run.
 */
export function boundImports(): Rolldown.Plugin {
  return {
    name: 'bound-imports',
    transform: {
      filter: { id: /\/src\/.+\.ts$/, code: /from 'node:|import\('node:/ },
      handler(code) {
        let bound = code;
        // From the end, so that the places before stay right.
        for (const node of this.parse(code, { lang: 'ts' }).body.toReversed()) {
          if (node.type !== 'ImportDeclaration' || node.importKind === 'type') continue;
          if (!node.source.value.startsWith('node:')) continue;
          const names = node.specifiers.flatMap((specifier) => {
            if (specifier.type !== 'ImportSpecifier' || specifier.imported.type !== 'Identifier') {
              throw new Error(`Import the names that are used from ${node.source.value}.`);
            }
            return specifier.importKind === 'type' ? [] : [`${specifier.imported.name}: ${specifier.local.name}`];
          });
          const line = `const { ${names.join(', ')} } = process.getBuiltinModule('${node.source.value}');`;
          bound = bound.slice(0, node.start) + line + bound.slice(node.end);
        }
        return bound.replaceAll(LATER, 'Promise.resolve(process.getBuiltinModule($1))');
      },
    },
  };
}
