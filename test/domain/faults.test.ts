import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EVENT_TYPES, type EventType } from '../../src/domain/event.ts';
import {
  checkFilters,
  conflictOf,
  delayMsOf,
  type EventPattern,
  FAULT_FIELDS,
  FAULT_FILTERS,
  FAULT_KINDS,
  FAULTS,
  type Fault,
  type FaultCount,
  type FaultInput,
  type FaultKind,
  type FaultRule,
  faultRule,
  firstToStrike,
  leavesUnanswered,
  matchesAttempt,
  matchesRequest,
  strikesNext,
} from '../../src/domain/faults.ts';
import { Refusal } from '../../src/domain/refusal.ts';

const refusedBy = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal && error.is('invalid')) return error.details[0];
    throw error;
  }
  return null;
};
const refusalOf = (input: object) => refusedBy(() => faultRule(input as FaultInput, null));

const kinds = fc.constantFrom(...FAULT_KINDS);

test.each([
  ['lost_request', 'GET', true],
  ['lost_answer', 'POST', true],
  ['cut_answer', 'GET', true],
  // Its answer has no body that could be cut.
  ['cut_answer', 'HEAD', false],
  ['lost_answer', 'HEAD', true],
  ['slow', 'GET', false],
  [undefined, 'GET', false],
] as const)('interface §7: after %s, a %s has no answer: %s', (kind, method, isUnanswered) => {
  expect(leavesUnanswered(kind, method)).toBe(isUnanswered);
});

describe('interface §7: a fault that could never strike is refused', () => {
  const operations = [
    { operationId: 'getContract', method: 'GET', path: '/v1/contracts/{reference}' },
    { operationId: 'updateContract', method: 'PATCH', path: '/v1/contracts/{reference}' },
    { operationId: 'ping', method: 'GET', path: '/v1/ping' },
  ];
  const refused = (filters: Partial<FaultInput>) =>
    refusedBy(() => checkFilters(faultRule({ kind: 'error', ...filters }, null), operations));

  test.each<[filters: Partial<FaultInput>, errors: object | null]>([
    [{}, null],
    [{ operation: 'ping' }, null],
    [{ operation: 'ping', method: 'GET', path: '/v1/ping' }, null],
    [{ operation: 'ping', method: 'HEAD' }, null],
    [{ path: '/v1/contracts/*', method: 'PATCH' }, null],
    [{ method: 'PATCH' }, null],
    [
      { operation: 'readHosted' },
      { operation: ['The operation readHosted takes no credentials, so no fault strikes it.'] },
    ],
    [
      { operation: 'ping', method: 'PATCH' },
      { method: ['The method field does not fit the operation ping, which is GET /v1/ping.'] },
    ],
    [
      { operation: 'ping', path: '/v1/config' },
      { path: ['The path field does not fit the operation ping, which is GET /v1/ping.'] },
    ],
    [{ path: '/v1/pong' }, { path: ['The path field fits no operation that takes credentials.'] }],
    [
      { path: '/v1/ping', method: 'PATCH' },
      { method: ['The method field fits no operation at that path that takes credentials.'] },
    ],
    [{ method: 'POST' }, { method: ['The method field fits no operation at that path that takes credentials.'] }],
  ])('%j: %j', (filters, errors) => {
    expect(refused(filters)).toEqual(errors);
  });
});

describe('interface §7: what a fault is told', () => {
  test('seven kinds strike requests, five strike deliveries', () => {
    const on = (target: string) => FAULT_KINDS.filter((kind) => FAULTS[kind].on === target);
    expect(on('request')).toEqual([
      'lost_request',
      'lost_answer',
      'cut_answer',
      'error',
      'late_error',
      'throttled',
      'slow',
    ]);
    expect(on('delivery')).toEqual(['lost', 'lost_ack', 'duplicate', 'reordered', 'delayed']);
  });

  test.each<[FaultKind, Partial<FaultRule>]>([
    ['error', { status: 503, retryAfter: null }],
    ['late_error', { status: 503, retryAfter: null }],
    ['throttled', { retryAfter: 1 }],
    ['slow', { delayMs: 1000 }],
    ['duplicate', { copies: 1 }],
    ['delayed', { by: '1h' }],
  ])('%s has its defaults, once, at the first match', (kind, fields) => {
    const nothing = { status: null, retryAfter: null, delayMs: null, by: null, copies: null };
    expect(faultRule({ kind }, null)).toMatchObject({ times: 1, skip: 0, every: 1, ...nothing, ...fields });
  });

  test('null means always for `times`, and not given for everything else', () => {
    const rule = faultRule({ kind: 'throttled', times: null, retry_after: null, by: null, event: null }, null);
    expect(rule).toMatchObject({ times: null, retryAfter: 1, by: null });
  });

  test('a field of other kinds is refused under its name, and one of its own is taken', () => {
    const samples = {
      operation: 'ping',
      method: 'GET',
      path: '/v1/ping',
      event: 'contract.*',
      endpoint_id: 'we_1',
      status: 500,
      retry_after: 3,
      delay_ms: 5,
      by: '2h',
      copies: 2,
    };
    const names = [...FAULT_FILTERS.request, ...FAULT_FILTERS.delivery, ...FAULT_FIELDS];
    fc.assert(
      fc.property(kinds, fc.subarray(names), (kind, given) => {
        const { on, takes } = FAULTS[kind];
        const foreign = given.filter(
          (name) => !(FAULT_FILTERS[on] as readonly string[]).includes(name) && !(name in takes),
        );
        const errors = refusalOf({ kind, ...Object.fromEntries(given.map((name) => [name, samples[name]])) });
        const sentence = (name: string) =>
          `The ${name.replaceAll('_', ' ')} field does not belong to the kind ${kind}.`;
        expect(errors ?? {}).toEqual(Object.fromEntries(foreign.map((name) => [name, [sentence(name)]])));
      }),
    );
  });

  test.each([
    ['2h', null],
    ['30d', null],
    ['P30D', null],
    ['0s', ['The by field must be more than 0.']],
    ['31d', ['The by field must not be more than 30 days.']],
    ['1mo', ['The by field must not be more than 30 days; give it in days or less, such as 30d.']],
    ['P5000Y', ['The by field must not be more than 30 days; give it in days or less, such as 30d.']],
    ['soon', ['The by field must be a duration such as 45m, 2h or 30d.']],
  ])('delayed by %s', (by, problem) => {
    expect(refusalOf({ kind: 'delayed', by })?.by ?? null).toEqual(problem);
  });

  test.each([
    [500, true],
    [501, false],
    [502, true],
    [503, true],
    [504, true],
    [429, false],
  ])('an error with status %i', (status, isTaken) => {
    const refusal = { status: ['The selected status is invalid. Valid values: 500, 502, 503, 504.'] };
    expect(refusalOf({ kind: 'error', status })).toEqual(isTaken ? null : refusal);
  });

  test.each([
    ['/v1/ping', true],
    ['/v1/', true],
    ['/v1/contracts/*', true],
    ['/*/contracts', true],
    ['/v2/ping', false],
    ['/v10/ping', false],
    ['v1/ping', false],
    ['https://shop.example/v1/ping', false],
    ['/v1', false],
    ['', false],
    ['/v1/contracts?page=2', false],
    ['/v1/contracts#top', false],
  ])('the path %j: %s', (path, isTaken) => {
    const refusal = { path: ['The path field must begin with /v1/ and have no query.'] };
    expect(refusalOf({ kind: 'slow', path })).toEqual(isTaken ? null : refusal);
  });

  test.each([
    ['/v1/contracts/**', 'may contain * only as a whole segment; each * matches one segment.'],
    ['/v1/contracts/LAY-*', 'may contain * only as a whole segment; each * matches one segment.'],
    ['/v1/sess%69ons', 'must be decoded, without % escapes.'],
  ])('the path %j, which no request has, is refused', (path, problem) => {
    expect(refusalOf({ kind: 'slow', path })).toEqual({ path: [`The path field ${problem}`] });
  });

  test.each([
    ['POST', '/v1/sessions', null],
    ['POST', '/*/sessions', null],
    ['GET', null, 'method'],
    [null, '/v1/contracts', 'path'],
    [null, '/v1/sessions/*', 'path'],
    [null, null, null],
  ] as const)('an operation with the method %j and the path %j conflicts in: %j', (method, path, conflict) => {
    expect(conflictOf({ method, path }, { method: 'POST', path: '/v1/sessions' })).toBe(conflict);
  });

  test.each([
    ['HEAD', '/v1/contracts/LAY-7K3M9QXAHD', null],
    ['GET', '/v1/contracts/*', null],
    ['GET', '/v1/contracts/*/cancel', 'path'],
    ['PATCH', null, 'method'],
  ] as const)('one that takes a reference with %j and %j: %j', (method, path, conflict) => {
    expect(conflictOf({ method, path }, { method: 'GET', path: '/v1/contracts/{reference}' })).toBe(conflict);
  });

  test('a path at a kind for deliveries is refused for the kind, whatever its form', () => {
    const refusal = { path: ['The path field does not belong to the kind lost.'] };
    expect(refusalOf({ kind: 'lost', path: 'ping' })).toEqual(refusal);
  });

  test.each([
    ['45m', 2_700_000],
    ['2h', 7_200_000],
    ['30d', 2_592_000_000],
  ])('delayed by %s waits %i ms', (by, ms) => {
    expect(delayMsOf(faultRule({ kind: 'delayed', by }, null).by as string)).toBe(ms);
  });
});

describe('interface §7: what a fault matches', () => {
  const facts = { operation: 'getContract', method: 'GET', path: '/v1/contracts/LAY-7K3M9QXAHD' };
  const asked = (filter: Partial<FaultInput>) => faultRule({ kind: 'error', ...filter }, null);

  test.each<[string, Partial<FaultInput>, boolean]>([
    ['nothing', {}, true],
    ['its operation', { operation: 'getContract' }, true],
    ['another operation', { operation: 'createSession' }, false],
    ['its method', { method: 'GET' }, true],
    ['another method', { method: 'PATCH' }, false],
    ['its whole path', { path: '/v1/contracts/LAY-7K3M9QXAHD' }, true],
    ['a segment left open', { path: '/v1/contracts/*' }, true],
    ['the beginning of its path', { path: '/v1/contracts' }, false],
    ['more than its path', { path: '/v1/contracts/*/cancel' }, false],
    ['its operation and another path', { operation: 'getContract', path: '/v1/ping' }, false],
  ])('a request by %s', (_what, filter, matches) => {
    expect(matchesRequest(asked(filter), facts)).toBe(matches);
  });

  test('a `*` stands for exactly one segment, wherever it stands', () => {
    const segment = fc.stringMatching(/^[a-z0-9.-]{1,6}$/);
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 5 }), fc.array(fc.boolean()), (segments, open) => {
        const pattern = segments.map((each, at) => (open[at] ? '*' : each)).join('/');
        const rule = asked({ path: `/v1/${pattern}` });
        const on = (path: string) => matchesRequest(rule, { ...facts, path: `/v1${path}` });
        expect(on(`/${segments.join('/')}`)).toBe(true);
        expect(on(`/${segments.join('/')}/more`)).toBe(false);
        expect(on(`/${segments.slice(1).join('/')}`)).toBe(false);
      }),
    );
  });

  test('an attempt by its event, by the events of one noun, and by its endpoint', () => {
    const rule = (filter: Partial<FaultInput>, endpointId: number | null = null) =>
      faultRule({ kind: 'lost', ...filter }, endpointId);
    for (const event of EVENT_TYPES) {
      const attempt = { event, endpointId: 7, isFirst: true, isForged: false };
      const [noun] = event.split('.');
      expect(matchesAttempt(rule({}), attempt)).toBe(true);
      expect(matchesAttempt(rule({ event }), attempt)).toBe(true);
      expect(matchesAttempt(rule({ event: 'contract.*' }), attempt)).toBe(noun === 'contract');
      expect(matchesAttempt(rule({ event: 'contract.cancelled' }), attempt)).toBe(event === 'contract.cancelled');
      expect(matchesAttempt(rule({}, 7), attempt)).toBe(true);
      expect(matchesAttempt(rule({}, 8), attempt)).toBe(false);
    }
  });

  test('a pattern takes a whole noun, and a type takes no longer one', () => {
    const on = (event: EventPattern, type: string) =>
      matchesAttempt(faultRule({ kind: 'lost', event }, null), {
        event: type as EventType,
        endpointId: 1,
        isFirst: true,
        isForged: false,
      });
    expect(on('contract.*', 'contract.renewed')).toBe(true);
    expect(on('contract.*', 'contracts.renewed')).toBe(false);
    expect(on('contract.*', 'customer.created')).toBe(false);
    expect(on('contract.cancelled', 'contract.cancelled_again')).toBe(false);
  });

  test('only first attempts come later, and only to an endpoint can the order change', () => {
    const on = (kind: FaultKind, isFirst: boolean, endpointId: number | null) =>
      matchesAttempt(faultRule({ kind }, null), {
        ...{ event: 'contract.activated', isFirst, endpointId, isForged: false },
      });
    expect(on('delayed', true, null)).toBe(true);
    expect(on('delayed', false, 1)).toBe(false);
    expect(on('reordered', true, 1)).toBe(true);
    expect(on('reordered', false, 1)).toBe(false);
    expect(on('reordered', true, null)).toBe(false);
    expect(on('lost_ack', false, null)).toBe(true);
  });

  test('what is forged is never copied', () => {
    const attempt = { event: 'webhook.test', endpointId: 1, isFirst: true, isForged: true } as const;
    const kinds = FAULT_KINDS.filter((kind) => matchesAttempt(faultRule({ kind }, null), attempt));
    expect(kinds).toEqual(['lost', 'lost_ack', 'reordered', 'delayed']);
  });

  test('a kind for requests matches no attempt, and the other way round', () => {
    for (const kind of FAULT_KINDS) {
      const rule = faultRule({ kind }, null);
      expect(matchesRequest(rule, facts)).toBe(FAULTS[kind].on === 'request');
      expect(matchesAttempt(rule, { event: 'webhook.test', endpointId: 1, isFirst: true, isForged: false })).toBe(
        FAULTS[kind].on === 'delivery',
      );
    }
  });
});

describe('interface §7: which matches a fault strikes', () => {
  const counts = fc.record({
    times: fc.option(fc.integer({ min: 1, max: 5 })),
    skip: fc.integer({ min: 0, max: 5 }),
    every: fc.integer({ min: 1, max: 4 }),
  });

  test('after `skip` the first match, then every n-th, `times` times', () => {
    fc.assert(
      fc.property(counts, fc.integer({ min: 0, max: 60 }), ({ times, skip, every }, matches) => {
        let [seen, met] = [0, 0];
        const struck: number[] = [];
        for (let n = 0; n < matches; n += 1) {
          const strikes = strikesNext({ times, skip, every, seen, met });
          if (strikes) struck.push(n);
          seen += 1;
          met += strikes ? 1 : 0;
        }
        const expected = [];
        for (let n = skip; n < matches && expected.length < (times ?? Infinity); n += every) expected.push(n);
        expect(struck).toEqual(expected);
      }),
    );
  });

  test('one fault a request, in the order they were added; a later one does not count what an earlier one struck', () => {
    /** A fault matches a request by the letter that it names. */
    const faults = fc.array(fc.record({ letter: fc.constantFrom('a', 'b', '*'), count: counts }), { maxLength: 4 });
    const requests = fc.array(fc.constantFrom('a', 'b'), { maxLength: 40 });
    fc.assert(
      fc.property(faults, requests, (rules, letters) => {
        const state = rules.map(({ letter, count }, id) => ({ id, letter, ...count, seen: 0, met: 0 }));
        const struckBy: (number | null)[] = [];
        for (const letter of letters) {
          const { struck, passed } = firstToStrike(state, (fault) => fault.letter === '*' || fault.letter === letter);
          for (const fault of passed) fault.seen += 1;
          if (struck) {
            struck.seen += 1;
            struck.met += 1;
          }
          struckBy.push(struck?.id ?? null);
        }
        // Each fault alone, over the requests that none before it struck.
        for (const [id, { letter, count }] of rules.entries()) {
          const left = letters.filter((_each, at) => {
            const by = struckBy[at] as number | null;
            return by === null || by >= id;
          });
          const matching = left.filter((each) => letter === '*' || letter === each).length;
          const strikes = Math.min(
            count.times ?? Infinity,
            Math.max(0, Math.ceil((matching - count.skip) / count.every)),
          );
          expect(struckBy.filter((by) => by === id)).toHaveLength(strikes);
          expect(state[id]?.met).toBe(strikes);
        }
      }),
    );
  });

  test('one that is spent counts no more', () => {
    const spent: FaultCount = { times: 1, skip: 0, every: 1, seen: 1, met: 1 };
    expect(firstToStrike([spent as Fault], () => true)).toEqual({ struck: null, passed: [] });
  });
});
