import type { TSchema } from 'typebox';
import type { Schema } from '../src/schema.ts';

const HEAD = `/** Generated from the schemas of this folder by \`npm run openapi\`: what callers of the server send and read. */
`;

/** TypeScript types of named schemas, and the interface \`Wire\` that finds them by name. */
export function wireTypes(named: readonly TSchema[]): string {
  const schemas: readonly Schema[] = named;
  const names = schemas.map(({ $id }) => `  readonly ${$id}: ${$id};`).join('\n');
  return `${[HEAD, ...schemas.map(declared), `export interface Wire {\n${names}\n}`].join('\n')}\n`;
}

function declared(schema: Schema): string {
  const head = comment(schema, '');
  return schema.properties
    ? `${head}export interface ${schema.$id} ${shape(schema, '')}\n`
    : `${head}export type ${schema.$id} = ${typeOf(schema, '')};\n`;
}

function typeOf(schema: Schema, indent: string): string {
  const { $ref, enum: values, anyOf, type } = schema;
  if ($ref) return $ref;
  if (anyOf) return anyOf.map((each) => typeOf(each, indent)).join(' | ');
  if (values) return values.map((value) => (value === null ? 'null' : `'${value}'`)).join(' | ');
  if (type === undefined) return 'unknown';
  return [type]
    .flat()
    .map((name) => single(name, schema, indent))
    .join(' | ');
}

function single(name: string, schema: Schema, indent: string): string {
  switch (name) {
    case 'integer':
      return 'number';
    case 'array':
      return `readonly ${bracketed(typeOf(schema.items ?? {}, indent))}[]`;
    case 'object':
      return schema.properties ? shape(schema, indent) : record(schema, indent);
    default:
      return name;
  }
}

const bracketed = (type: string) => (type.includes(' | ') ? `(${type})` : type);

function record({ additionalProperties }: Schema, indent: string): string {
  if (additionalProperties === undefined) return 'object';
  const value = typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent) : 'unknown';
  return `Readonly<Record<string, ${value}>>`;
}

function shape({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, schema]) => {
    const mark = required.includes(name) ? '' : '?';
    return `${comment(schema, inner)}${inner}readonly ${name}${mark}: ${typeOf(schema, inner)};`;
  });
  return lines.length === 0 ? 'object' : `{\n${lines.join('\n')}\n${indent}}`;
}

const comment = ({ description }: Schema, indent: string) => (description ? `${indent}/** ${description} */\n` : '');
