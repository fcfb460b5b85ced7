import { isUtf8 } from 'node:buffer';
import { open } from 'node:fs/promises';
import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  Parser,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { grouped, shortened } from './domain/text.ts';
import { inTime, TookTooLong } from './time-limit.ts';

/** Files that strangers may have written are read within these bounds. */
const READING_MS = 400;
const READING_MS_PER_KIB = 3;
const DEPTH_MAX = 100;
const ALIASED_VALUES_MAX = 100_000;
const MISTAKES_TOLD_MAX = 20;
const MISTAKE_LENGTH_MAX = 500;

/** Keys and indexes from the top of a document. */
export type Path = readonly (string | number)[];

export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface Yaml {
  readonly value: unknown;
  /** Where the value, or its key, begins; behind an alias, the place of the nearest thing around it. */
  placeOf(path: Path, atKey?: boolean): Place;
}

/** Something wrong with a file. Line and column are null when it concerns the file as a whole. */
export interface Mistake {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
}

export const placeText = ({ file, line, column }: Place) => `${file}:${line}:${column}`;

/** What is wrong with a file: each mistake in a line of its own. */
export class Unreadable extends Error {
  readonly mistakes: readonly Mistake[];
  readonly lines: readonly string[];

  constructor(mistakes: readonly Mistake[], more = 0) {
    const lines = mistakes.map(({ file, line, column, message }) =>
      line === null || column === null ? message : `${placeText({ file, line, column })} ${message}`,
    );
    if (more > 0) lines.push(`and ${more} more like these`);
    super(lines.join('\n'));
    this.mistakes = mistakes;
    this.lines = lines;
  }
}

/** The first mistakes, and how many more there are: a file full of mistakes is reported as quickly as one. */
export const unreadable = <T>(found: readonly T[], tell: (each: T) => Place & { readonly message: string }) =>
  new Unreadable(
    found.slice(0, MISTAKES_TOLD_MAX).map((each) => {
      const { message, ...place } = tell(each);
      return { ...place, message: shortened(message, MISTAKE_LENGTH_MAX) };
    }),
    found.length - MISTAKES_TOLD_MAX,
  );

const asAWhole = (file: string, what: string) =>
  new Unreadable([{ file, line: null, column: null, message: `${file} ${what}` }]);

/** @throws Unreadable when it is too large or not UTF-8, and what the file system says */
export async function readText(file: string, bytesMax: number): Promise<string> {
  const handle = await open(file);
  try {
    const chunk = Buffer.alloc(bytesMax + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(chunk, length, chunk.length - length);
      length += bytesRead;
      if (length > bytesMax) throw asAWhole(file, `is larger than ${bytesMax / 1024} KiB. Make it smaller.`);
      if (bytesRead === 0) break;
    }
    const bytes = chunk.subarray(0, length);
    // Windows PowerShell writes what `>` redirects in UTF-16.
    if (!isUtf8(bytes)) throw asAWhole(file, 'is not encoded in UTF-8. Save it in that encoding.');
    return bytes.toString('utf8');
  } finally {
    await handle.close();
  }
}

/**
 * Reads YAML or JSON and calls `use` with it, all within a time that depends on the length of the text.
 * @throws Unreadable
 */
export function useYaml<T>(file: string, text: string, use: (yaml: Yaml) => T): T {
  try {
    return inTime(READING_MS + (text.length / 1024) * READING_MS_PER_KIB, () => use(parse(file, text)));
  } catch (error) {
    if (!(error instanceof TookTooLong)) throw error;
    throw new Unreadable([{ file, line: 1, column: 1, message: 'takes too long to read. Make it simpler.' }]);
  }
}

function parse(file: string, text: string): Yaml {
  const lines = new LineCounter();
  const at = (offset: number): Place => {
    const { line, col: column } = lines.linePos(offset);
    return { file, line, column };
  };
  const refuse = (found: readonly Found[]) => {
    if (found.length === 0) return;
    throw unreadable(found, ({ offset, message }) => ({ ...at(offset), message: message.replaceAll('\n', ' ') }));
  };
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  const tooDeep = tokenBelow(DEPTH_MAX, tokens);
  if (tooDeep) refuse([{ offset: tooDeep.offset, message: `is nested deeper than ${DEPTH_MAX} levels` }]);
  const [document, another] = new Composer({ merge: true, logLevel: 'error' }).compose(tokens, true, text.length);
  if (!document) throw new Error('a composer that was told to gives a document');
  refuse(syntaxMistakes(document, text));
  refuse(wrongTags(document, text));
  if (another) refuse([{ offset: another.range[0], message: 'begins a second document. A file can hold only one.' }]);
  refuse(aliasMistakes(document));
  return {
    value: document.toJS({ maxAliasCount: -1 }),
    placeOf: (path, atKey = false) => at(offsetOf(document, path, atKey)),
  };
}

/** The first token at this depth. The composer walks down call by call, so how deep it may go is found out before. */
function tokenBelow(depth: number, tokens: readonly CST.Token[]): CST.Token | null {
  let level: readonly CST.Token[] = tokens;
  for (let n = 0; n <= depth; n += 1) level = level.flatMap(childrenOf);
  return level[0] ?? null;
}

function childrenOf(token: CST.Token): CST.Token[] {
  if (token.type === 'document') return token.value ? [token.value] : [];
  if (!('items' in token)) return [];
  return token.items.flatMap(({ key, value }) => [key, value]).filter((child) => child != null);
}

interface Found {
  readonly offset: number;
  readonly message: string;
}

/** Up to the first token that is not expected: what the library reports after it only follows from it. */
function syntaxMistakes({ errors }: Document, text: string): Found[] {
  const stray = errors.findIndex(({ code }) => code === 'UNEXPECTED_TOKEN');
  const told = stray === -1 ? errors : errors.slice(0, stray + 1);
  return told.map(({ pos: [offset], message }) => {
    const [place] = /^\$\{[^{}\n]*\}/.exec(text.slice(offset - 1)) ?? [];
    return place === undefined
      ? { offset, message }
      : { offset: offset - 1, message: `${place} needs quotes inside { } or [ ], such as "${place}"` };
  });
}

/** Tags that the library knows, but not for every value. */
const STANDARD_TAG = /^!!(?:bool|float|int|null)$/;

/** Of a value with such a tag, the library would give the text. */
const wrongTags = ({ warnings }: Document, text: string): Found[] =>
  warnings
    .filter(({ code }) => code === 'TAG_RESOLVE_FAILED')
    .map(({ pos: [offset, end] }) => {
      const tag = text.slice(offset, end);
      const message = STANDARD_TAG.test(tag)
        ? 'does not fit its value. Leave it out.'
        : 'is not a known tag. Leave it out or, if it is part of the value, use quotes.';
      return { offset, message: `${tag} ${message}` };
    });

/**
 * Aliases that stand for nothing, for what they are part of, or together for too much, and merge keys without a map; in
 * one pass.
 */
function aliasMistakes(document: Document): Found[] {
  const mistakes: Found[] = [];
  const anchored = new Map<string, Scalar | YAMLMap | YAMLSeq>();
  /** How many values a node stands for; none yet while it is being counted. */
  const counts = new Map<unknown, number>();
  let aliasedValues = 0;

  function count(node: unknown): number {
    if (isPair(node)) {
      const values = count(node.key) + count(node.value);
      if (isMergeKey(node.key) && !isMergeSource(node.value)) {
        mistakes.push({
          offset: startOf(node.value) ?? 0,
          message: 'must be a map, an alias for one, or a list of them, because << merges it',
        });
      }
      return values;
    }
    if (isAlias(node)) {
      const { source, range } = node;
      const say = (what: string) => mistakes.push({ offset: range?.[0] ?? 0, message: `*${source} ${what}` });
      const values = counts.get(anchored.get(source)) ?? 0;
      if (!anchored.has(source)) say('is an alias for an anchor that is not defined before it');
      else if (values === 0) say('is an alias for a value that contains it');
      else if (aliasedValues <= ALIASED_VALUES_MAX && aliasedValues + values > ALIASED_VALUES_MAX) {
        say(`and the aliases before it expand to more than ${grouped(ALIASED_VALUES_MAX)} values`);
      }
      aliasedValues += values;
      // Otherwise the library would look through all nodes for each alias.
      node.resolve = () => anchored.get(source);
      return values;
    }
    if ((isScalar(node) || isCollection(node)) && node.anchor !== undefined) anchored.set(node.anchor, node);
    const values = isCollection(node) ? node.items.reduce<number>((sum, item) => sum + count(item), 1) : 1;
    counts.set(node, values);
    return values;
  }

  /** An alias without an anchor is a mistake of its own, which is reported once. */
  const isUndefined = (node: unknown) => isAlias(node) && !anchored.has(node.source);
  const isMapHere = (node: unknown) => isUndefined(node) || isMap(isAlias(node) ? anchored.get(node.source) : node);
  const isMergeSource = (node: unknown) => {
    const source = isAlias(node) ? anchored.get(node.source) : node;
    return isSeq(source) ? source.items.every(isMapHere) : isMapHere(node);
  };

  count(document.contents);
  return mistakes;
}

/** The library turns a plain `<<` into a symbol. */
const isMergeKey = (key: unknown) => isScalar(key) && typeof key.value === 'symbol';

function offsetOf(document: Document, path: Path, atKey: boolean): number {
  for (let length = path.length; length > 0; length -= 1) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const wantsKey = atKey && length === path.length && isMap(parent);
    const node = wantsKey ? keyNode(parent.items, path[length - 1]) : document.getIn(path.slice(0, length), true);
    const start = startOf(node);
    if (start !== null) return start;
  }
  return startOf(document.contents) ?? 0;
}

const keyNode = (items: readonly unknown[], key: unknown): unknown =>
  items.filter(isPair).find((pair) => isScalar(pair.key) && String(pair.key.value) === String(key))?.key;

const startOf = (node: unknown): number | null => (isNode(node) ? (node.range?.[0] ?? null) : null);
