/** `${order.id}`, `${plan.installments.1.amount}`; `$${` stands for `${` itself. */
const PLACE = /\$(\$\{)|\$\{([^}]*)\}/g;
const WHOLE = /^\$\{([^}]*)\}$/;

/** How a place is written. */
export const place = (path: string) => `\${${path}}`;

/** What stands for earlier answers, by name. */
export type Scope = ReadonlyMap<string, unknown>;

/** A place in a scenario that names what is not there. */
export class UnknownPlace extends Error {}

/**
 * `value` with every `${…}` in its texts replaced, however deep; a text that is one `${…}` becomes the very value.
 * @throws UnknownPlace
 */
export function interpolate(value: unknown, scope: Scope): unknown {
  if (typeof value === 'string') return text(value, scope);
  if (Array.isArray(value)) return value.map((item) => interpolate(item, scope));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, interpolate(inner, scope)]));
}

function text(value: string, scope: Scope): unknown {
  const whole = WHOLE.exec(value)?.[1];
  if (whole !== undefined) return lookUp(whole, scope);
  return value.replace(PLACE, (_all, escaped: string | undefined, path: string) => {
    if (escaped) return escaped;
    const found = lookUp(path, scope);
    if (typeof found === 'object' && found !== null) {
      throw new UnknownPlace(`${place(path)} is no single value; it has ${Object.keys(found).join(', ')}.`);
    }
    return String(found);
  });
}

function lookUp(path: string, scope: Scope): unknown {
  const [name = '', ...keys] = keysOf(path);
  let found = scope.get(name);
  let shown = name;
  if (!scope.has(name)) throw new UnknownPlace(`${place(path)}: nothing is named ${name}.`);
  for (const key of keys) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) {
      throw new UnknownPlace(`${place(path)}: ${shown} has no ${key}; it ${contents(found)}.`);
    }
    found = (found as Record<string, unknown>)[key];
    shown = `${shown}.${key}`;
  }
  return found;
}

function contents(value: unknown): string {
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

/** The names that the texts of a value refer to. */
export function namesIn(value: string): string[] {
  return [...value.matchAll(PLACE)].flatMap(([, escaped, path]) => (escaped ? [] : [keysOf(path ?? '')[0] ?? '']));
}
