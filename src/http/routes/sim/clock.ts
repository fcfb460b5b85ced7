import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { formatInstant, INSTANT_FORM, parseDuration, parseInstant } from '../../../domain/calendar.ts';
import { parseCondition } from '../../../domain/condition.ts';
import type { Account } from '../../../domain/merchant.ts';
import { invalid } from '../../../domain/refusal.ts';
import type { Happening } from '../../../engine/due.ts';
import type { Destination, Journey } from '../../../time/travel.ts';
import { bodyOf } from '../../body.ts';
import type { HttpContext } from '../../context.ts';
import { textOf } from '../../query.ts';
import { validateStrictly } from '../../validate.ts';

const AdvanceInput = Type.Object({
  by: Type.Optional(Type.String()),
  to: Type.Optional(Type.String()),
  next: Type.Optional(Type.Boolean()),
  until: Type.Optional(Type.String()),
  dry_run: Type.Optional(Type.Boolean()),
  wait: Type.Optional(Type.Boolean()),
});

/** The account's clock: read it, move it, see what lies ahead (interface §3). */
export function simClock(app: FastifyInstance, { announce, clocks, travel }: HttpContext) {
  const clockView = (account: Account) => {
    const due = announce(account.id);
    return {
      data: {
        now: formatInstant(clocks.now(account.id)),
        mode: clocks.get(account.id).mode,
        next_due: due && instantView(due),
      },
    };
  };

  app.get('/_sim/clock', async ({ principal: { account } }) => clockView(account));

  app.post('/_sim/clock/advance', async (request) => {
    const input = validateStrictly(AdvanceInput, bodyOf(request));
    const destination = destinationOf(input);
    const { account } = request.principal;
    return journeyView(
      input.dry_run
        ? await travel.rehearse(account, destination)
        : await travel.advance(account, destination, { wait: input.wait ?? true }),
    );
  });

  app.post('/_sim/clock/freeze', async ({ principal: { account } }) => {
    await travel.freeze(account);
    return clockView(account);
  });

  app.post('/_sim/clock/resume', async ({ principal: { account } }) => {
    await travel.resume(account);
    return clockView(account);
  });

  app.get<{ Querystring: Record<string, unknown> }>('/_sim/forecast', async ({ principal: { account }, query }) => {
    const until = textOf(query, 'until');
    const { now, happened } = await travel.forecast(account, until === null ? null : instantOf('until', until));
    return { data: { now: formatInstant(now), happened: happened.map(happeningView) } };
  });
}

/** @throws Refusal `invalid` unless exactly one destination is named, and well */
function destinationOf({ by, to, next, until }: Static<typeof AdvanceInput>): Destination {
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

function instantOf(field: string, text: string): number {
  const at = parseInstant(text);
  if (at === null) throw invalid(field, `The ${field} field must be ${INSTANT_FORM}.`);
  return at;
}

const instantView = <T extends { at: number }>({ at, ...rest }: T) => ({ at: formatInstant(at), ...rest });

export const happeningView = ({ at, type, subject, eventId }: Happening) => ({
  at: formatInstant(at),
  type,
  subject,
  event_id: eventId,
});

const journeyView = ({ now, happened, count }: Journey) => ({
  data: { now: formatInstant(now), happened: happened.map(happeningView), happened_count: count },
});
