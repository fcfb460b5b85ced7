export const place = (path: string) => `\${${path}}`;

/** Earlier answers by name; undefined is one that was lost. */
export type Scope = ReadonlyMap<string, unknown>;

/** A place in a scenario that refers to something that does not exist. */
export class UnknownPlace extends Error {}

/**
 * `value` with every `${…}` in its strings replaced, at any depth; a string that is one `${…}` becomes the value
 * itself.
 * @throws UnknownPlace
 */
export function interpolate(value: unknown, scope: Scope): unknown {
  if (typeof value === 'string') return text(value, scope);
  if (Array.isArray(value)) return value.map((item) => interpolate(item, scope));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, interpolate(inner, scope)]));
}

function text(value: string, scope: Scope): unknown {
  const [first] = placesIn(value);
  if (first?.start === 0 && first.end === value.length && first.path !== null) return lookUp(first.path, scope);
  return replacePlaces(value, (path) => {
    const found = lookUp(path, scope);
    if (typeof found === 'object' && found !== null) {
      throw new UnknownPlace(`${place(path)} is not a single value; it has ${Object.keys(found).join(', ')}.`);
    }
    return String(found);
  });
}

/** A string with each of its places replaced; `$${` becomes `${`. */
export function replacePlaces(value: string, replace: (path: string) => string): string {
  let replaced = '';
  let from = 0;
  for (const { start, end, path } of placesIn(value)) {
    replaced += value.slice(from, start) + (path === null ? '${' : replace(path));
    from = end;
  }
  return replaced + value.slice(from);
}

/** `${order.id}`, `${plan.installments.1.amount}`; the path is null for `$${`, an escaped `${`. */
interface Place {
  readonly start: number;
  readonly end: number;
  readonly path: string | null;
}

/** Takes linear time even if many `${` are never closed; those are plain text. */
function placesIn(value: string): Place[] {
  const places: Place[] = [];
  let close = 0;
  let from = 0;
  for (;;) {
    const start = value.indexOf('${', from);
    if (start < 0) return places;
    from = start + 2;
    if (value[start - 1] === '$') {
      places.push({ start: start - 1, end: from, path: null });
      continue;
    }
    if (close !== -1 && close < from) close = value.indexOf('}', from);
    if (close === -1) continue;
    places.push({ start, end: close + 1, path: value.slice(from, close) });
    from = close + 1;
  }
}

function lookUp(path: string, scope: Scope): unknown {
  const [name = '', ...keys] = keysOf(path);
  let found = scope.get(name);
  let shown = name;
  if (!scope.has(name)) throw new UnknownPlace(`${place(path)}: nothing is named ${name}.`);
  if (found === undefined) throw new UnknownPlace(`${place(path)}: the response that ${name} names was lost.`);
  for (const key of keys) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) {
      throw new UnknownPlace(`${place(path)}: ${shown} has no ${key}; it ${contents(found)}.`);
    }
    found = (found as Record<string, unknown>)[key];
    shown = `${shown}.${key}`;
  }
  return found;
}

/** What a value is or has, to follow its name. */
export function contents(value: unknown): string {
  if (Array.isArray(value)) return `is a list of ${value.length}`;
  if (typeof value !== 'object' || value === null) return `is ${JSON.stringify(value)}`;
  return `has ${Object.keys(value).join(', ')}`;
}

/** `a.b[0].c` and `a.b.0.c` are the same. */
const keysOf = (path: string) =>
  path
    .trim()
    .replace(/\[(\d+)\]/g, '.$1')
    .split('.');

/** The names that a text refers to, each once. */
export function namesIn(value: string): string[] {
  const names = placesIn(value).flatMap(({ path }) => (path === null ? [] : [keysOf(path)[0] ?? '']));
  return [...new Set(names)];
}
