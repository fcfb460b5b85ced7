import type { TSchema } from 'typebox';
import { type Operation, responses } from '../src/operations/operation.ts';

type Schema = {
  readonly $id?: string;
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
};

const CALLERS = { account: 'header pair', workspace: 'control token', none: 'anyone' } as const;

/** `docs/control-plane.md`: every operation under `/_sim` but those of the dashboard's pages, and what they speak of. */
export function controlPlaneReference(operations: readonly Operation[], named: readonly TSchema[]): string {
  const shown = operations.filter(({ tag }) => tag !== 'Dashboard');
  const tags = [...new Set(shown.map(({ tag }) => tag))];
  const schemas = reached(shown, named as readonly Schema[]);
  return [
    '# Reference of the control plane `/_sim`',
    'Printed from the operations that the server registers; `npm run openapi` rewrites it. [interface.md](interface.md) §3 has the\nrules that all of them follow. `GET /_sim/openapi.json` says the same to programs.',
    'Every success wraps its resource in `data`. “Header pair” means `X-Client-Id` and `X-Api-Key` of the merchant; “control token”\nmeans `Authorization: Bearer <token>`.',
    ...tags.flatMap((tag) => [`## ${tag}`, ...shown.filter((each) => each.tag === tag).map(operationText)]),
    '## Schemas',
    ...schemas.map(schemaText),
  ]
    .join('\n\n')
    .concat('\n');
}

function operationText(operation: Operation): string {
  const { method, path, summary, description, auth, params = {}, query, body } = operation;
  const rows = [
    ...Object.entries(params).map(([name, text]) => row(name, 'path', 'string', text)),
    ...fieldsOf(query as Schema | undefined).map(([name, schema]) =>
      row(name, 'query', typeOf(schema), schema.description),
    ),
  ];
  const answers = responses(operation).map(
    ({ status, schema, description: text }) => `- **${status}** ${typeOf(schema as Schema)}: ${oneLine(text)}`,
  );
  return [
    `### \`${method} ${path}\``,
    `${summary}.${description === undefined ? '' : ` ${oneLine(description)}`} Caller: ${CALLERS[auth]}.`,
    ...(rows.length === 0 ? [] : [['| parameter | in | type | |', '|---|---|---|---|', ...rows].join('\n')]),
    ...(body === undefined ? [] : [`Body: ${typeOf(body as Schema)}`]),
    answers.join('\n'),
  ].join('\n\n');
}

function schemaText(schema: Schema): string {
  const rows = fieldsOf(schema).map(
    ([name, field]) =>
      `| \`${name}\`${schema.required?.includes(name) ? '' : ' (optional)'} | ${typeOf(field)} | ${cell(field.description)} |`,
  );
  return [
    `### ${schema.$id}`,
    ...(schema.description === undefined ? [] : [oneLine(schema.description)]),
    rows.length === 0 ? typeOf(schema) : ['| field | type | |', '|---|---|---|', ...rows].join('\n'),
  ].join('\n\n');
}

const row = (name: string, place: string, type: string, text?: string) =>
  `| \`${name}\` | ${place} | ${type} | ${cell(text)} |`;
const fieldsOf = (schema: Schema | undefined) => Object.entries(schema?.properties ?? {});
const oneLine = (text: string) => text.replace(/\s*\n\s*/g, ' ');
const cell = (text = '') => oneLine(text).replaceAll('|', '\\|');

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return `[${schema.$ref}](#${schema.$ref.toLowerCase()})`;
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ');
  if (schema.items) return `list of ${typeOf(schema.items)}`;
  const { data } = schema.properties ?? {};
  if (data && fieldsOf(schema).length <= 2) return typeOf(data);
  if (schema.properties)
    return `{ ${fieldsOf(schema)
      .map(([name, field]) => `${name}: ${typeOf(field)}`)
      .join('; ')} }`;
  return [schema.type ?? 'any'].flat().join(' or ');
}

/** The named schemas that these operations speak of, in the order in which they are declared. */
function reached(operations: readonly Operation[], named: readonly Schema[]): Schema[] {
  const byName = new Map(named.map((schema) => [schema.$id as string, schema]));
  const seen = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { $ref } = value as Schema;
    if ($ref !== undefined && !seen.has($ref)) {
      seen.add($ref);
      visit(byName.get($ref));
    }
    for (const each of Object.values(value)) visit(each);
  };
  for (const { query, body, ...operation } of operations)
    visit([query, body, responses({ query, body, ...operation } as Operation)]);
  return named.filter(({ $id }) => seen.has($id as string));
}
