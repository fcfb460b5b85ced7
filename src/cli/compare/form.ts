import { CONTRACT_STATUSES } from '../../domain/contract.ts';
import { INSTALLMENT_STATUSES } from '../../domain/installment.ts';
import { isRecord } from '../../domain/json.ts';

/** Which values are compared by their form, and which are not. */
export interface Leniency {
  /** Texts that were sent to both servers. Where an answer repeats one, it is compared by value. */
  readonly sent: ReadonlySet<string>;
  /** Places that depend on what the account holds: compared by form. */
  readonly byForm: readonly string[];
}

/**
 * The places, such as `body.data.status`, in which two answers differ. Ids, times and URLs are compared by their form.
 */
export function differingPlaces(here: unknown, there: unknown, { sent, byForm }: Leniency): string[] {
  const places: string[] = [];
  walk('', here, there);
  return places;

  function walk(at: string, a: unknown, b: unknown): void {
    const isByForm = byForm.some((place) => at === place || at.startsWith(`${place}.`));
    const isFree = isByForm && METADATA.test(at);
    if (isRecord(a) && isRecord(b) && !isAvailability(a) && !isFree) {
      for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
        const place = at === '' ? key : `${at}.${key}`;
        if (Object.hasOwn(a, key) && Object.hasOwn(b, key)) walk(place, a[key], b[key]);
        else places.push(place);
      }
    } else if (Array.isArray(a) && Array.isArray(b)) {
      // Later items have the form of the second; the first is special: the Cart Capture, the link to the previous page.
      const compared = isByForm ? Math.min(a.length, b.length, 2) : Math.max(a.length, b.length);
      for (let index = 0; index < compared; index += 1) walk(`${at}.${index}`, a[index], b[index]);
    } else if (isByForm) {
      if (a !== null && b !== null && formOf(at, a, sent) !== formOf(at, b, sent)) places.push(at);
    } else if (exactOf(a, sent) !== exactOf(b, sent)) places.push(at);
  }
}

/** Where stores keep what they like: any keys, with texts. */
const METADATA = /\.metadata$/;

const ENUMS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\.installments\.\d+\.status$/, INSTALLMENT_STATUSES],
  [/\.installments\.\d+\.type$/, ['cart_capture', 'installment_capture']],
  [/\.status$/, CONTRACT_STATUSES],
];

function formOf(at: string, value: unknown, sent: ReadonlySet<string>): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (METADATA.test(at) && isRecord(value)) {
    return Object.values(value).every((each) => typeof each === 'string') ? 'metadata' : 'object';
  }
  if (typeof value !== 'string') return Array.isArray(value) ? 'list' : typeof value;
  const values = ENUMS.find(([place]) => place.test(at))?.[1];
  if (values) return values.includes(value) ? 'one of its values' : value;
  return patternOf(value, sent) ?? 'text';
}

const exactOf = (value: unknown, sent: ReadonlySet<string>): string =>
  (typeof value === 'string' ? patternOf(value, sent) : null) ?? JSON.stringify(value) ?? 'absent';

/** What an id, a time or a URL has in common with those of another server; null for any other text. */
function patternOf(text: string, sent: ReadonlySet<string>): string | null {
  if (sent.has(text)) return null;
  const id = /^(cs_|mch_test_|mch_live_|sk_test_|sk_live_|LAY-)([0-9A-Za-z]+)$/.exec(text);
  if (id?.[1] && id[2]) return `id ${id[1]}${id[2].length}`;
  if (/^\d{4}-\d\d-\d\d($|T\d\d:\d\d:\d\d)/.test(text)) return `time ${text.replace(/\d/g, '0')}`;
  if (!URL.canParse(text) || !/^https?:/i.test(text)) return null;
  const { pathname, searchParams } = new URL(text);
  const ofService = pathname.slice(Math.max(pathname.indexOf('/v1/'), 0));
  return `URL ${ofService.startsWith('/v1/') ? ofService : ''}?${[...searchParams.keys()].sort()}`;
}

/** An availability is one fact in three fields, compared as a whole. */
const isAvailability = (value: Record<string, unknown>) => 'available' in value && 'reason' in value;
