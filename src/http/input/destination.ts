import { INSTANT_FORM, parseDuration, parseInstant } from '../../domain/calendar.ts';
import { parseCondition } from '../../domain/condition.ts';
import { invalid } from '../../domain/refusal.ts';
import type { AdvanceInput } from '../../operations/wire.ts';
import type { Destination } from '../../time/destination.ts';

/** @throws Refusal `invalid` unless exactly one valid destination is given */
export function destinationOf({ by, to, next, until }: AdvanceInput): Destination {
  const given = [by, to, next, until].filter((value) => value !== undefined);
  if (given.length !== 1) throw invalid('by', 'Exactly one of by, to, next and until must be sent.');
  if (to !== undefined) return { to: instantOf('to', to) };
  if (by !== undefined) {
    const duration = parseDuration(by);
    if (!duration) throw invalid('by', 'The by field must be a duration such as 36h, 30d, 2w, 3mo or P1M.');
    return { by: duration };
  }
  if (until !== undefined) {
    const condition = parseCondition(until);
    if (!condition) {
      throw invalid(
        'until',
        'The until field must be a condition such as LAY-…=defaulted, LAY-…#2=past_due or cs_…=expired.',
      );
    }
    return { until: condition };
  }
  if (next !== true) throw invalid('next', 'The next field must be true.');
  return { next };
}

/** @throws Refusal `invalid` */
export function instantOf(field: string, text: string): number {
  const at = parseInstant(text);
  if (at === null) throw invalid(field, `The ${field} field must be ${INSTANT_FORM}.`);
  return at;
}
