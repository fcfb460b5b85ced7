import { existsSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import { execa } from 'execa';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

/** The laws of the house, kept on the source text itself. */

interface Source {
  /** From `src/`, with slashes: `store/keys.ts`. */
  readonly path: string;
  /** The first folder, or the file itself when it stands in `src/`. */
  readonly room: string;
  readonly tree: ts.SourceFile;
}

const ROOT = posix.join(import.meta.dirname.replaceAll('\\', '/'), '..');

const sources: Source[] = listTypeScript('src').map((file) => {
  const path = file.slice('src/'.length);
  const text = readFileSync(posix.join(ROOT, file), 'utf8');
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  return {
    path,
    room: path.split('/', 1)[0] as string,
    tree: ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true, kind),
  };
});
const inRooms = (...rooms: string[]) => sources.filter(({ room }) => rooms.includes(room));

function listTypeScript(folder: string): string[] {
  return ts.sys
    .readDirectory(posix.join(ROOT, folder), ['.ts', '.tsx'], ['**/node_modules'])
    .map((file) => posix.relative(ROOT, file.replaceAll('\\', '/')))
    .filter((file) => !file.endsWith('.d.ts'))
    .sort();
}

const walked = new Map<Source, { node: ts.Node; at: string }[]>();

/** Every node of a file, with where it stands for the message of a broken law. */
function nodesOf(source: Source): { node: ts.Node; at: string }[] {
  const { tree, path } = source;
  const known = walked.get(source);
  if (known) return known;
  const found: { node: ts.Node; at: string }[] = [];
  walked.set(source, found);
  const visit = (node: ts.Node) => {
    const { line } = tree.getLineAndCharacterOfPosition(node.getStart(tree));
    found.push({ node, at: `src/${path}:${line + 1}` });
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** What breaks a law, as `src/file.ts:line what`. */
const offences = (files: readonly Source[], judge: (node: ts.Node, source: Source) => string | false | undefined) =>
  files.flatMap((source) =>
    nodesOf(source).flatMap(({ node, at }) => {
      const what = judge(node, source);
      return what ? [`${at} ${what}`] : [];
    }),
  );

/** The module that a node loads when the program runs; undefined for types. */
function loaded(node: ts.Node): { module: string; lazy: boolean } | undefined {
  if (ts.isImportDeclaration(node)) {
    const { importClause: clause } = node;
    if (clause?.phaseModifier === ts.SyntaxKind.TypeKeyword) return undefined;
    const named = clause?.namedBindings;
    const onlyTypes =
      clause && !clause.name && named && ts.isNamedImports(named) && named.elements.length > 0
        ? named.elements.every(({ isTypeOnly }) => isTypeOnly)
        : false;
    return onlyTypes ? undefined : literal(node.moduleSpecifier, false);
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier && !node.isTypeOnly) {
    const named = node.exportClause;
    const onlyTypes = named && ts.isNamedExports(named) && named.elements.every(({ isTypeOnly }) => isTypeOnly);
    return onlyTypes ? undefined : literal(node.moduleSpecifier, false);
  }
  if (!ts.isCallExpression(node)) return undefined;
  const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword;
  const isRequire = /^(require|createRequire\(.*\))$/.test(node.expression.getText());
  return isImport || isRequire ? literal(node.arguments[0], true) : undefined;
}

const literal = (node: ts.Node | undefined, lazy: boolean) =>
  node && ts.isStringLiteralLike(node) ? { module: node.text, lazy } : undefined;

/** A room, `node:…`, a package's name, or a file outside `src/`. */
function targetOf(module: string, { path }: Source): string {
  if (!module.startsWith('.')) return packageOf(module);
  const target = posix.join(posix.dirname(path), module);
  return target.startsWith('..') ? target : (target.split('/', 1)[0] as string);
}

function packageOf(module: string): string {
  if (module.startsWith('node:')) return module;
  return module
    .split('/')
    .slice(0, module.startsWith('@') ? 2 : 1)
    .join('/');
}

const isNode = (target: string) => target.startsWith('node:');

/** Law 1: what each room may load at run time, itself and its own files apart. */
const MAY_LOAD: Record<string, (target: string, lazy: boolean, module: string) => boolean> = {
  domain: () => false,
  /** What the server does, declared: schemas and paths that its callers share. */
  operations: (target) => ['domain', 'typebox'].includes(target),
  engine: (target) => target === 'domain',
  store: (target) => ['domain', 'sqlite.ts'].includes(target) || isNode(target),
  time: (target) => target === 'domain',
  webhook: (target) => ['domain', 'nodemailer'].includes(target) || isNode(target),
  http: (target, lazy) =>
    (lazy && target === 'yaml.ts') ||
    ['domain', 'operations', 'typebox', 'headers.ts', 'nearest.ts', 'schema.ts'].includes(target) ||
    /^@?fastify\b/.test(target) ||
    isNode(target),
  secrets: (target) => ['domain', 'node:crypto'].includes(target),
  /** What is drawn in a browser: one library, bundled, and the operations that it calls. */
  web: (target) => ['preact', 'operations', 'domain'].includes(target),
  /** What programs hold in their hands: it asks through what it is given. */
  library: (target) => ['domain', 'operations', 'base-url.ts', 'options.ts'].includes(target),
  /** Reads files and plays them through the library; what starts a simulator is handed in. */
  scenario: (target) =>
    [
      'domain',
      'operations',
      'library',
      'typebox',
      'exchange.ts',
      'headers.ts',
      'nearest.ts',
      'schema.ts',
      'time-limit.ts',
      'yaml.ts',
    ].includes(target) || isNode(target),
  /** Examines receivers with orders that it makes through the library; what starts a simulator and sends is handed in. */
  certify: (target) => ['domain', 'library', 'end-tree.ts', 'exchange.ts'].includes(target) || isNode(target),
  /** Packs a workspace into one file, and tells what is in it; bytes in, bytes out. */
  trace: (target) => ['domain', 'operations'].includes(target) || isNode(target),
  /** Parts of `workspace.ts`, which hands them the rooms. */
  workspace: (target) => ['domain', 'secrets'].includes(target),
  /**
   * Beside its libraries: the default pair, the words of the domain, what all rooms share; the simulator for the commands
   * that start one, the scenario player, and what forwards and verifies webhooks, for those that do so here.
   */
  cli: (target, lazy, module) =>
    ![...ROOMS, ...DOORS].includes(target) ||
    [
      'domain',
      'operations',
      'secrets',
      'base-url.ts',
      'end-tree.ts',
      'exchange.ts',
      'nearest.ts',
      'version.ts',
    ].includes(target) ||
    /\/(scenario\/neutral|certify\/(certificate|notes))\.ts$/.test(module) ||
    (lazy &&
      (['index.ts', 'sqlite.ts', 'scenario', 'certify', 'trace'].includes(target) ||
        /\/(time\/real|webhook\/(verify|deliver))\.ts$/.test(module))),
};
const ROOMS = [
  'domain',
  'operations',
  'engine',
  'store',
  'time',
  'webhook',
  'http',
  'secrets',
  'web',
  'library',
  'scenario',
  'certify',
  'trace',
  'workspace',
  'cli',
];
/** Join the rooms, or stand above them. */
const DOORS = sources.filter(({ path }) => !path.includes('/')).map(({ path }) => path);

const dependencies = Object.keys(
  (({ dependencies: a, devDependencies: b }) => ({ ...a, ...b }))(
    JSON.parse(readFileSync(posix.join(ROOT, 'package.json'), 'utf8')),
  ),
);

describe('law 1: imports at run time', () => {
  test('every folder of src is a room that the law knows', () => {
    expect([...new Set(sources.map(({ room }) => room))].filter((room) => !DOORS.includes(room)).sort()).toEqual(
      ROOMS.filter((room) => inRooms(room).length > 0).sort(),
    );
    expect(sources.length).toBeGreaterThan(50);
  });

  test.each(Object.keys(MAY_LOAD))('%s', (room) => {
    const broken = offences(inRooms(room), (node, source) => {
      const found = loaded(node);
      if (!found) return false;
      const target = targetOf(found.module, source);
      return target !== room && !MAY_LOAD[room]?.(target, found.lazy, found.module) && `loads ${found.module}`;
    });
    expect(broken).toEqual([]);
  });

  test('index.ts hands out what others made: the simulator, the checks of options, the words of the domain, the verifier and its clock; scenarios, traces and examinations on demand', () => {
    const index = sources.filter(({ path }) => path === 'index.ts');
    expect(index).toHaveLength(1);
    const broken = offences(index, (node) => {
      const { module, lazy } = loaded(node) ?? {};
      return (
        module &&
        !(
          lazy &&
          /^\.\/((scenario|certify)\/run|webhook\/(deliver|sign)|secrets\/draw|exchange|trace\/[a-z]+)\.ts$/.test(
            module,
          )
        ) &&
        !/^\.\/(simulator|call-options|version|(domain|library)\/[a-z-]+|(scenario|certify)\/error|certify\/certificate|webhook\/verify|time\/real)\.ts$/.test(
          module,
        ) &&
        `loads ${module}`
      );
    });
    expect(broken).toEqual([]);
  });

  test('simulator.ts alone loads engine, store, time, webhook and http', () => {
    const joining = sources.filter(
      ({ path }) => DOORS.includes(path) && path !== 'simulator.ts' && path !== 'index.ts',
    );
    const broken = offences(joining, (node, source) => {
      const found = loaded(node);
      const target = found && targetOf(found.module, source);
      return target && ['engine', 'store', 'time', 'webhook', 'http'].includes(target) && `loads ${target}`;
    });
    expect(broken).toEqual([]);
  });

  test('simulator.ts constructs only, top to bottom, on a page or two', () => {
    const [simulator] = sources.filter(({ path }) => path === 'simulator.ts');
    const { statements } = (simulator as Source).tree;
    const declared = statements.filter((statement) => !ts.isImportDeclaration(statement));
    expect(declared.map((statement) => (statement as ts.FunctionDeclaration).name?.text)).toEqual(['createSimulator']);
    expect((simulator as Source).tree.getFullText().split('\n').length).toBeLessThanOrEqual(130);
    const rules = offences([simulator as Source], (node) => {
      const isBranch = ts.isIfStatement(node) || ts.isSwitchStatement(node) || ts.isWhileStatement(node);
      return isBranch && node.getText();
    });
    expect(rules).toEqual([]);
  });

  test('every package loaded is declared, and a builtin is loaded as node:', () => {
    const broken = offences(sources, (node, source) => {
      const found = loaded(node);
      if (!found || found.module.startsWith('.')) return false;
      const target = targetOf(found.module, source);
      if (builtinModules.includes(target)) return `loads ${target} without node:`;
      return !isNode(target) && !dependencies.includes(target) && `loads ${target}, which package.json does not have`;
    });
    expect(broken).toEqual([]);
  });

  test('a module that is loaded later is named by a literal, so that this test can read it', () => {
    const broken = offences(sources, (node) => {
      if (!ts.isCallExpression(node) || node.expression.kind !== ts.SyntaxKind.ImportKeyword) return false;
      return !loaded(node) && `import(${node.arguments[0]?.getText()})`;
    });
    expect(broken).toEqual([]);
  });
});

describe('no file needs itself, not even for its types', () => {
  /** The files that each file imports or re-exports, types included. */
  function importsIn(folder: string) {
    const files = new Set(listTypeScript(folder));
    const targets = (file: string) =>
      ts
        .preProcessFile(readFileSync(posix.join(ROOT, file), 'utf8'), true, true)
        .importedFiles.map(({ fileName }) => posix.join(posix.dirname(file), fileName))
        .filter((target) => files.has(target));
    return new Map([...files].map((file) => [file, targets(file)]));
  }

  /** One cycle, as the path that leads back to its first file; null when there is none. */
  function cycleIn(graph: ReadonlyMap<string, readonly string[]>): string | null {
    const done = new Set<string>();
    const path: string[] = [];
    const visit = (file: string): string | null => {
      if (path.includes(file)) return [...path.slice(path.indexOf(file)), file].join(' > ');
      if (done.has(file)) return null;
      path.push(file);
      for (const target of graph.get(file) ?? []) {
        const cycle = visit(target);
        if (cycle) return cycle;
      }
      path.pop();
      done.add(file);
      return null;
    };
    for (const file of graph.keys()) {
      const cycle = visit(file);
      if (cycle) return cycle;
    }
    return null;
  }

  test.each(['bench', 'src'])('%s has no import cycle', (folder) => {
    expect(cycleIn(importsIn(folder))).toBeNull();
  });
});

describe('law 2: only time reads the real clock', () => {
  const outside = sources.filter(({ room }) => !['time', 'web'].includes(room));
  const text = (node: ts.Node) => node.getText().replaceAll(/\s+/g, '');

  const READERS = /^(globalThis\.)?(Date\.now|performance\.now|process\.hrtime|process\.uptime)$/;

  /** A command may measure how long it has waited: that is no instant. */
  test('no Date.now, no argumentless new Date, no performance.now', () => {
    const broken = offences(outside, (node, { room }) => {
      if (ts.isNewExpression(node) && text(node.expression) === 'Date') return !node.arguments?.length && 'new Date()';
      if (ts.isCallExpression(node) && text(node.expression) === 'Date') return 'Date()';
      if (!ts.isPropertyAccessExpression(node)) return false;
      return READERS.test(text(node)) && !(room === 'cli' && text(node) === 'performance.now') && text(node);
    });
    expect(broken).toEqual([]);
  });

  test('no Math.random anywhere', () => {
    const broken = offences(
      sources,
      (node) => ts.isPropertyAccessExpression(node) && /^Math\.random$/.test(text(node)) && text(node),
    );
    expect(broken).toEqual([]);
  });

  /** Node takes longer to load the language data than a command takes for a request. */
  test('no language data, except where a page or a table of a terminal needs it', () => {
    const files = outside.filter(({ path }) => path !== 'cli/terminal/format.ts');
    const broken = offences(files, (node) => {
      if (ts.isPropertyAccessExpression(node) && /^toLocale/.test(node.name.text)) return node.name.text;
      return ts.isIdentifier(node) && node.text === 'Intl' && 'Intl';
    });
    expect(broken).toEqual([]);
  });

  /** Patience is the business of who calls out, and of the process that a person started. */
  test('no timer outside time, webhook and cli', () => {
    const timers = ['setTimeout', 'setInterval', 'setImmediate'];
    const files = sources.filter(({ room }) => !['time', 'webhook', 'cli', 'web'].includes(room));
    const broken = offences(files, (node) => {
      if (loaded(node)?.module.startsWith('node:timers')) return 'loads node:timers';
      if (!ts.isIdentifier(node) || !timers.includes(node.text)) return false;
      return ts.isCallExpression(node.parent) && node.parent.expression === node && `${node.text}()`;
    });
    expect(broken).toEqual([]);
  });
});

describe('law 3: transactions are synchronous', () => {
  test('no await, no async and no then in engine; no await and no async in store', () => {
    const broken = offences(inRooms('engine', 'store'), (node, { room }) => {
      if (node.kind === ts.SyntaxKind.AsyncKeyword) return 'async';
      if (ts.isAwaitExpression(node)) return 'await';
      if (ts.isForOfStatement(node) && node.awaitModifier) return 'for await';
      return room === 'engine' && ts.isPropertyAccessExpression(node) && node.name.text === 'then' && '.then';
    });
    expect(broken).toEqual([]);
  });
});

describe('only store knows SQL', () => {
  const SQL =
    /\b(SELECT\s.+\sFROM|INSERT\s+(OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+(TABLE|INDEX)|PRAGMA\s)/s;

  test('no statement and no call to prepare one elsewhere', () => {
    const broken = offences(
      sources.filter(({ room }) => room !== 'store'),
      (node) => {
        if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node))
          return SQL.test(node.getText()) && node.getText();
        if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
        return ['prepare', 'pragma'].includes(node.expression.name.text) && `.${node.expression.name.text}()`;
      },
    );
    expect(broken).toEqual([]);
  });

  test('every INSERT of values names its columns', () => {
    // A migration stays as it was: the triggers it made are compared to the letter.
    const broken = offences(
      inRooms('store').filter(({ path }) => !path.includes('/migrations/')),
      (node) =>
        (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) &&
        /INSERT\s+(OR\s+\w+\s+)?INTO\s+\w+\s+VALUES/i.test(node.getText()) &&
        node.getText(),
    );
    expect(broken).toEqual([]);
  });

  test('values are bound, never pasted: what is put into a statement is a constant of the file, or a name of the schema', () => {
    const broken = offences(inRooms('store'), (node, source) => {
      if (!ts.isTemplateSpan(node) || !SQL.test(node.parent.getText())) return false;
      const { expression } = node;
      const isConstant =
        ts.isIdentifier(expression) &&
        nodesOf(source).some(
          ({ node: other }) =>
            ts.isVariableDeclaration(other) &&
            other.name.getText() === expression.text &&
            other.initializer !== undefined &&
            (ts.isStringLiteralLike(other.initializer) || ts.isTemplateExpression(other.initializer)),
        );
      // A restore copies table by table, by the names that the schema itself gives.
      return (
        !isConstant &&
        !['store/file/rows.ts', 'store/file/dump.ts'].includes(source.path) &&
        `\${${expression.getText()}}`
      );
    });
    expect(broken).toEqual([]);
  });
});

describe('law 6: states are tables of data, walked by one move()', () => {
  const MACHINES = ['session', 'contract', 'installment'] as const;

  test.each(MACHINES)('domain/%s.ts has its machine as a plain table', (noun) => {
    const source = sources.find(({ path }) => path === `domain/${noun}.ts`);
    if (!source) throw new Error(`domain/${noun}.ts is not there`);
    const table = nodesOf(source).find(
      ({ node }) => ts.isVariableDeclaration(node) && node.name.getText() === `${noun.toUpperCase()}_MACHINE`,
    )?.node as ts.VariableDeclaration | undefined;
    if (!table?.initializer || !ts.isObjectLiteralExpression(table.initializer)) throw new Error('no table');
    for (const row of table.initializer.properties) {
      if (!ts.isPropertyAssignment(row) || !ts.isObjectLiteralExpression(row.initializer))
        throw new Error(row.getText());
      for (const cell of row.initializer.properties) {
        expect(ts.isPropertyAssignment(cell) && ts.isStringLiteral(cell.initializer), cell.getText()).toBe(true);
      }
    }
  });

  test('engine names a status only where a row begins: everything else goes through the table', () => {
    const files = inRooms('engine').filter(({ path }) => MACHINES.some((noun) => path === `engine/${noun}.ts`));
    const begins = offences(files, (node) => {
      if (ts.isPropertyAssignment(node) && node.name.getText() === 'status' && ts.isStringLiteral(node.initializer)) {
        return node.getText();
      }
      if (!ts.isCallExpression(node) || !/\.setStatus$/.test(node.expression.getText())) return false;
      return node.arguments.some((argument) => ts.isStringLiteral(argument)) && node.getText();
    }).map((offence) => offence.replace(/:\d+/, ''));
    expect(begins.sort()).toEqual([
      "src/engine/contract.ts status: 'pending'",
      "src/engine/session.ts status: 'pending'",
    ]);
  });
});

/** Who asks what kind of path it has in hand, and names none of them. */
const TELL_PATHS_APART = ['src/cli/server/control-plane.ts', 'src/http/access/guard.ts', 'src/scenario/stage.ts'];

test('law 9: what an operation does is read from its declaration: http/serve.ts and http/input do not ask for its path', () => {
  const serving = sources.filter(({ path }) => path === 'http/serve.ts' || path.startsWith('http/input/'));
  const broken = offences(
    serving,
    (node) => ts.isStringLiteralLike(node) && /^\/(v1|_sim)\b/.test(node.text) && node.getText(),
  );
  expect(serving.length).toBeGreaterThan(5);
  expect(broken).toEqual([]);
});

test('law 9: a path of the control plane stands in operations only', () => {
  const elsewhere = sources.filter(
    ({ room, path }) => room !== 'operations' && !TELL_PATHS_APART.includes(`src/${path}`),
  );
  const broken = offences(elsewhere, (node) => {
    const isText =
      ts.isStringLiteralLike(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddle(node) ||
      ts.isTemplateTail(node) ||
      ts.isJsxText(node) ||
      ts.isRegularExpressionLiteral(node);
    return isText && /_sim\b/.test(node.text) && node.getText();
  });
  expect(elsewhere.length).toBeGreaterThan(200);
  expect(broken).toEqual([]);
});

describe('law 10: a route reads the rows of one account through `store.of(account)`', () => {
  test('the context offers no other reader of rows: what it has beside `of` is named here', () => {
    const [context] = sources.filter(({ path }) => path === 'http/context.ts') as [Source];
    const members = (name: string) => {
      const found = context.tree.statements.find(
        (statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === name,
      ) as ts.InterfaceDeclaration;
      return Object.fromEntries(
        found.members.map((member) => [
          member.name?.getText(),
          ts.isPropertySignature(member) ? member.type?.getText() : '()',
        ]),
      );
    };
    expect(members('Readers')).toEqual({
      of: "Store['of']",
      ownerOf: "Store['ownerOf']",
      accounts: "Pick<Store['accounts'], 'find' | 'ofMerchant' | 'search'>",
      merchants: "Pick<Store['merchants'], 'list'>",
      workspace: "Pick<Store['workspace'], 'platform' | 'seed'>",
      discarded: "Pick<Store['discarded'], 'has'>",
      committed: "Store['committed']",
    });
    expect(members('HttpContext')).toMatchObject({ store: 'Readers', outbox: "Pick<Outbox, 'announce' | 'heard'>" });
  });

  test('http does not know the whole store, nor the tables behind it', () => {
    // Tells whoever started the server of each attempt, of every account; simulator.ts hands it the tables, no route does.
    const knowing = ['http/context.ts', 'http/stream/watching.ts'];
    const broken = offences(
      inRooms('http').filter(({ path }) => !knowing.includes(path)),
      (node) => {
        if (!ts.isImportDeclaration(node) || !/\/store\/[\w/-]+\.ts'$/.test(node.moduleSpecifier.getText()))
          return false;
        const named = node.importClause?.namedBindings;
        const names = named && ts.isNamedImports(named) ? named.elements.map(({ name }) => name.text) : ['*'];
        const rows = ['Own', 'StoredEmail', 'StoredEvent', 'EventRow', 'Snapshot'];
        return names.some((name) => !rows.includes(name)) && node.getText();
      },
    );
    expect(broken).toEqual([]);
  });

  test('whose a row is, the store compares: http and engine do not', () => {
    const EQUALITY = [ts.SyntaxKind.EqualsEqualsEqualsToken, ts.SyntaxKind.ExclamationEqualsEqualsToken];
    const broken = offences(
      inRooms('http', 'engine'),
      (node) =>
        ts.isBinaryExpression(node) &&
        EQUALITY.includes(node.operatorToken.kind) &&
        /\baccountId\b/.test(node.getText()) &&
        node.getText(),
    );
    expect(broken).toEqual([]);
  });
});

test('law 7: a refusal is mapped to a status once, in http/answer/refusals.ts', () => {
  const broken = offences(
    sources.filter(({ room }) => !['http', 'cli', 'web', 'webhook'].includes(room)),
    (node) =>
      ts.isPropertyAssignment(node) &&
      /^(statusCode|httpStatus)$/.test(node.name.getText()) &&
      /^\d/.test(node.initializer.getText()) &&
      node.getText(),
  );
  expect(broken).toEqual([]);
  const codes = offences(
    inRooms('http').filter(({ path }) => path.startsWith('http/routes/v1/')),
    (node) => {
      if (!ts.isCallExpression(node) || !/\.(code|status)$/.test(node.expression.getText())) return false;
      const [argument] = node.arguments;
      return argument && ts.isNumericLiteral(argument) && Number(argument.text) >= 400 && node.getText();
    },
  );
  expect(codes).toEqual([]);
});

describe('law 8: the noun is the address', () => {
  test.each(['session', 'contract'])('%s has its file in every room', (noun) => {
    const files = [
      `src/domain/${noun}.ts`,
      `src/engine/${noun}.ts`,
      `src/store/${noun}s.ts`,
      `src/http/routes/v1/${noun}s.ts`,
      `src/cli/commands/${noun}s.ts`,
      `test/domain/${noun}.test.ts`,
      `test/engine/${noun}.test.ts`,
    ];
    expect(files.filter((file) => !existsSync(posix.join(ROOT, file)))).toEqual([]);
  });

  test('each table has one file in store, named for it', () => {
    const tables = offences(
      inRooms('store').filter(({ path }) => path.includes('/migrations/')),
      (node) =>
        ts.isNoSubstitutionTemplateLiteral(node)
          ? [...node.text.matchAll(/CREATE TABLE (\w+)/g)].map(([, name]) => name).join(' ')
          : false,
    ).flatMap((line) => line.split(' ').slice(1));
    expect(tables.length).toBeGreaterThan(8);
    /** Kept by the file of the table they belong to. */
    const beside: Record<string, string> = {
      contract_counts: 'contracts',
      payment_attempts: 'attempts',
      chaos_draws: 'faults',
    };
    const fileOf = (table: string) => beside[table] ?? table.replaceAll('_', '-');
    const missing = tables.filter((table) => !existsSync(posix.join(ROOT, `src/store/${fileOf(table)}.ts`)));
    expect(missing).toEqual([]);
  });
});

test('domain does not even type-check against a machine: lib ES2023, no types', async () => {
  const folder = posix.join(ROOT, 'src/domain');
  const { config } = ts.readConfigFile(posix.join(folder, 'tsconfig.json'), ts.sys.readFile);
  expect(config.compilerOptions).toMatchObject({ lib: ['ES2023'], types: [] });
  const { fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  expect(fileNames.length).toBe(inRooms('domain').length);
  // TypeScript 7 takes a sixth of the time of version 6, which reads the sources here.
  const compiler = posix.join(ROOT, 'node_modules/@typescript/native/bin/tsc');
  const args = [compiler, '--singleThreaded', '--noEmit', '-p', folder];
  const { exitCode, stdout } = await execa(process.execPath, args, { reject: false });
  expect(exitCode, stdout).toBe(0);
});

describe('citations', () => {
  /** A section of the service description, of the decisions or of the interface; a comment may break between the words. */
  const CITATION = /(?:\b(decisions|interface)[\s*/]+)?§(\d+(?:\.\d+)*)/g;
  const headings = (document: string) => {
    const text = readFileSync(posix.join(ROOT, `docs/${document}.md`), 'utf8');
    return new Set([...text.matchAll(/^#+ (\d+(?:\.\d+)*)\.? /gm)].map(([, number]) => number));
  };
  const sections = { service: headings('service'), decisions: headings('decisions'), interface: headings('interface') };
  const cited = ['src', 'test', 'scripts', 'bench'].flatMap(listTypeScript).flatMap((file) => {
    const text = readFileSync(posix.join(ROOT, file), 'utf8');
    return [...text.matchAll(CITATION)].map(({ index, 1: document = 'service', 2: number = '' }) => ({
      at: `${file}:${text.slice(0, index).split('\n').length} ${document} §${number}`,
      resolves: sections[document as keyof typeof sections].has(number),
      document,
    }));
  });

  test.each(Object.keys(sections))('every section of docs/%s.md that is cited is a heading there', (document) => {
    const mine = cited.filter((citation) => citation.document === document);
    expect(mine.length).toBeGreaterThan(50);
    expect(mine.filter(({ resolves }) => !resolves).map(({ at }) => at)).toEqual([]);
  });
});
