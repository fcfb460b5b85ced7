import * as Type from 'typebox';
import { EVENT_TYPES, type EventType } from '../domain/event.ts';
import { grouped } from '../domain/text.ts';
import { enveloped, input, named, ok, operation, ref, refOrNull, resource } from './operation.ts';
import { count, flag, instant, nullable, oneOf, text } from './schemas.ts';

const tag = 'Clock';

/** Counting stops here, because counting further takes too long. */
export const LEFT_MAX = 100_000;

export const DueThing = named('DueThing', 'What falls due next.', {
  at: instant('Account time.'),
  type: text('The event that it makes; `webhook.attempt` for a delivery’s next attempt.'),
  subject: text('`LAY-…`, `LAY-…#2`, `cs_…`, or the id of a delivery.'),
});
export const Clock = named('ClockState', 'The clock of one account.', {
  now: instant('Account time.'),
  mode: oneOf(['running', 'frozen']),
  next_due: refOrNull('DueThing', 'Null when nothing falls due.'),
});
export const Happened = named('Happened', 'An event that the passing of time made, or would make.', {
  at: instant('Account time.'),
  type: oneOf(EVENT_TYPES),
  subject: text('`LAY-…`, `LAY-…#2` or `cs_…`.'),
  event_id: nullable(text('Null in a dry run and in a forecast.')),
});
const happened = Type.Array(ref('Happened'), { description: 'In order; at most the first 1,000.' });
export const WebhookTally = named('WebhookTally', 'Outcomes of the webhook attempts.', {
  delivered: count('Deliveries that succeeded.'),
  failed: count('Attempts that failed.'),
  given_up: count('Deliveries that failed for good: no retry is left, or the endpoint was disabled.'),
});
const byType = Type.Unsafe<Readonly<Partial<Record<EventType, number>>>>({
  type: 'object',
  additionalProperties: Type.Integer({ minimum: 1 }),
  description: 'How many of each event type; types without an event are left out.',
});
export const Advanced = named('Advanced', 'The result of an advance.', {
  now: instant('Account time, after the advance.'),
  happened,
  happened_count: count('All of them; `/_sim/events` has those not listed here.'),
  happened_by_type: byType,
  webhooks: refOrNull(
    'WebhookTally',
    'The attempts that fell due on the way; null in a dry run and with `wait: false`.',
  ),
});
export const AdvanceProgress = named('AdvanceProgress', 'How far an advance got.', {
  dry_run: Type.Boolean(),
  from: instant('Account time, before the advance.'),
  to: instant('Its destination.'),
  now: instant('How far it got.'),
  happened_count: count('Events so far.'),
  happened_by_type: byType,
  left_count: nullable(
    Type.Integer({
      minimum: 0,
      maximum: LEFT_MAX,
      description: `Items still due by \`to\`, counted up to ${grouped(LEFT_MAX)}; null in a dry run.`,
    }),
  ),
});
const progressOrNull = (description: string) => resource({ data: refOrNull('AdvanceProgress', description) });
export const Forecast = named('Forecast', 'What will happen if nobody acts.', {
  now: instant('Account time.'),
  happened,
});
export const AdvanceInput = input('AdvanceInput', 'Exactly one of `by`, `to`, `next` and `until`.', {
  by: Type.Optional(text('A duration: `36h`, `30d`, `1d12h`, `2w`, `3mo`, `P1M`.')),
  to: Type.Optional(text('An instant, ISO 8601.')),
  next: Type.Optional(flag('`true`: to the next item that falls due.')),
  until: Type.Optional(text('A condition: `LAY-…=defaulted`, `LAY-…#2=past_due`, `cs_…=expired`.')),
  dry_run: Type.Optional(flag('`true`: report what would happen, and change nothing.')),
  wait: Type.Optional(flag('`false`: respond without waiting for the webhook attempts that fell due.')),
});

export const getClock = operation({
  operationId: 'getClock',
  method: 'GET',
  path: '/_sim/clock',
  auth: 'account',
  tag,
  summary: 'Read the account clock',
  success: ok(enveloped('ClockState'), 'The clock.'),
  refusals: [401],
});

export const advanceClock = operation({
  operationId: 'advanceClock',
  method: 'POST',
  path: '/_sim/clock/advance',
  auth: 'account',
  tag,
  summary: 'Move the account clock forward and process everything that falls due',
  description:
    'Responds when everything is done, webhook attempts included. Forward only, at most 10 years in one call. If the caller ' +
    'disconnects, the advance goes on until it is done or stopped.',
  body: ref('AdvanceInput'),
  needsBody: true,
  success: ok(enveloped('Advanced'), 'The new time, and the events on the way.'),
  refusals: [
    401,
    [409, 'The advance was interrupted by a reset, a restore, a request to stop or the shutdown of the server.'],
    413,
    415,
    422,
  ],
});

export const getAdvance = operation({
  operationId: 'getAdvance',
  method: 'GET',
  path: '/_sim/clock/advance',
  auth: 'account',
  tag,
  summary: 'Read the progress of the advance under way',
  success: ok(progressOrNull('Null when no advance is under way.'), 'The progress of the advance or the dry run.'),
  refusals: [401],
});

export const stopAdvance = operation({
  operationId: 'stopAdvance',
  method: 'POST',
  path: '/_sim/clock/stop',
  auth: 'account',
  tag,
  summary: 'Stop the advance under way',
  description:
    'Responds when it has stopped. Completed steps are not undone, and the clock stays at the last instant that was processed. ' +
    'Items that are still due at that instant come first when time passes again. The request for the advance gets 409. ' +
    'A queued advance is not stopped; it starts immediately.',
  success: ok(progressOrNull('Null when no advance was under way.'), 'How far it got.'),
  refusals: [401],
});

export const freezeClock = operation({
  operationId: 'freezeClock',
  method: 'POST',
  path: '/_sim/clock/freeze',
  auth: 'account',
  tag,
  summary: 'Stop the account clock where it is',
  success: ok(enveloped('ClockState'), 'The clock, frozen.'),
  refusals: [401],
});

export const resumeClock = operation({
  operationId: 'resumeClock',
  method: 'POST',
  path: '/_sim/clock/resume',
  auth: 'account',
  tag,
  summary: 'Let the account clock run again from where it is',
  success: ok(enveloped('ClockState'), 'The clock, running.'),
  refusals: [401],
});

export const getForecast = operation({
  operationId: 'getForecast',
  method: 'GET',
  path: '/_sim/forecast',
  auth: 'account',
  tag,
  summary: 'List what will happen if nobody acts',
  query: Type.Object({
    until: Type.Optional(text('An instant, ISO 8601; when absent, as far as anything is due.')),
  }),
  success: ok(enveloped('Forecast'), 'State changes only, as if every delivery succeeded.'),
  refusals: [401, 422],
});

export const CLOCK_SCHEMAS = [
  DueThing,
  Clock,
  Happened,
  WebhookTally,
  Advanced,
  AdvanceProgress,
  Forecast,
  AdvanceInput,
] as const;
export const CLOCK_OPERATIONS = [
  getClock,
  advanceClock,
  getAdvance,
  stopAdvance,
  freezeClock,
  resumeClock,
  getForecast,
] as const;
