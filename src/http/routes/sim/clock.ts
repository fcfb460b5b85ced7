import type { FastifyInstance } from 'fastify';
import { formatInstant } from '../../../domain/calendar.ts';
import type { Account } from '../../../domain/merchant.ts';
import type { Happening } from '../../../engine/due.ts';
import {
  advanceClock,
  freezeClock,
  getAdvance,
  getClock,
  getForecast,
  LEFT_MAX,
  resumeClock,
  stopAdvance,
} from '../../../operations/clock.ts';
import type { Wire } from '../../../operations/wire.ts';
import type { Progress } from '../../../time/advances.ts';
import type { Journey } from '../../../time/travel.ts';
import type { HttpContext } from '../../context.ts';
import { destinationOf, instantOf } from '../../input/destination.ts';
import { serve } from '../../serve.ts';

/** The account's clock: read it, move it, forecast (interface §3). */
export function simClock(app: FastifyInstance, ctx: HttpContext) {
  const { store, travel } = ctx;

  const stateOf = (account: Account) => ({ data: clockView(ctx, account) });

  const progressView = (account: Account, progress: Progress | null) => ({
    data: progress && {
      dry_run: progress.isRehearsal,
      from: formatInstant(progress.from),
      to: formatInstant(progress.to),
      now: formatInstant(progress.now),
      happened_count: progress.count,
      happened_by_type: Object.fromEntries(progress.byType),
      left_count: progress.isRehearsal ? null : store.of(account).browse.dueCount(progress.to, LEFT_MAX),
    },
  });

  serve(app, getClock, ({ account }) => stateOf(account));

  serve(app, advanceClock, async ({ account, body }) => {
    const { dry_run: isRehearsal, wait = true, ...wanted } = body();
    const destination = destinationOf(wanted);
    return journeyView(
      isRehearsal ? await travel.rehearse(account, destination) : await travel.advance(account, destination, { wait }),
    );
  });

  serve(app, getAdvance, ({ account }) => progressView(account, travel.progress(account)));

  serve(app, stopAdvance, async ({ account }) => progressView(account, await travel.stop(account)));

  serve(app, freezeClock, async ({ account }) => {
    await travel.freeze(account);
    return stateOf(account);
  });

  serve(app, resumeClock, async ({ account }) => {
    await travel.resume(account);
    return stateOf(account);
  });

  serve(app, getForecast, async ({ account, query: { until } }) => {
    const { now, happened } = await travel.forecast(account, until === undefined ? null : instantOf('until', until));
    return { data: { now: formatInstant(now), happened: happened.map(happeningView) } };
  });
}

export function clockView({ outbox, clocks }: HttpContext, { id }: Account): Wire['ClockState'] {
  const due = outbox.announce(id);
  return {
    now: formatInstant(clocks.now(id)),
    mode: clocks.get(id).mode,
    next_due: due && { ...due, at: formatInstant(due.at) },
  };
}

export const happeningView = ({ at, type, subject, eventId }: Happening) => ({
  at: formatInstant(at),
  type,
  subject,
  event_id: eventId,
});

const journeyView = ({ now, happened, count, byType, webhooks }: Journey) => ({
  data: {
    now: formatInstant(now),
    happened: happened.map(happeningView),
    happened_count: count,
    happened_by_type: Object.fromEntries(byType),
    webhooks: webhooks && {
      delivered: webhooks.delivered,
      failed: webhooks.failed,
      given_up: webhooks.givenUp,
    },
  },
});
