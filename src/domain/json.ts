import { canonicalJson } from './canonical.ts';

/** The value of a JSON text, or `otherwise` when it is not JSON. */
export function parsed(text: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}

/** An object with keys: neither null nor a list. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The paths of the members in which two objects differ, such as `metadata.cart`. A list counts as one value. */
export function differingFields(one: Record<string, unknown>, other: Record<string, unknown>): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((name) => {
    const [before, after] = [one, other].map((each) => (Object.hasOwn(each, name) ? each[name] : undefined));
    if (isRecord(before) && isRecord(after)) return differingFields(before, after).map((inner) => `${name}.${inner}`);
    return canonicalJson(before) === canonicalJson(after) ? [] : [name];
  });
}
