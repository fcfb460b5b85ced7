import { expect, test } from 'vitest';
import { neutral, visible } from '../../src/scenario/neutral.ts';
import { realInstants } from '../../src/scenario/real-time.ts';

const step = { does: 'request', line: 1, column: 1, status: 'failed', events: [] } as const;

test.each([
  'sent_at',
  'saved_at',
  'tables',
  'disconnected_at',
  'duration_ms',
  'date',
  'retry-after',
  'x-ratelimit-reset',
  'webhook-timestamp',
  'webhook-signature',
])('interface §5: %s has a value of real time, which no report shows', (name) => {
  const place = { line: 1, column: 1 };
  const differences = [
    { at: `body.${name}`, ...place, expected: 'never', actual: 'now' },
    { at: `headers.${name.toUpperCase()}`, ...place, expected: 'never', actual: 'now' },
    { at: `body.${name}.0`, ...place, expected: 'never', actual: 'now' },
    { at: 'body', ...place, expected: [{ [name]: 'never' }], actual: [{ [name]: 'now', [`${name}s`]: 1 }] },
  ];
  expect(neutral({ steps: [{ ...step, differences }], changing: [] }).steps[0]?.differences).toMatchObject([
    { expected: 'never', actual: '…' },
    { expected: 'never', actual: '…' },
    { expected: 'never', actual: '…' },
    { expected: [{ [name]: '…' }], actual: [{ [name]: '…', [`${name}s`]: 1 }] },
  ]);
});

test('interface §5: addresses have their names in whatever a report shows', () => {
  const changing = [['http://127.0.0.1:1234/', 'URL']] as const;
  const text = 'from http://127.0.0.1:1234/ to http://127.0.0.1:1234/';
  const difference = { at: 'body', line: 1, column: 1, expected: [text], actual: { a: text, b: null } };
  const told = { ...step, problem: text, faults: [{ id: 'flt_1', kind: 'slow', on: text }], differences: [difference] };
  expect(neutral({ steps: [told] as never, changing }).steps).toEqual([
    {
      ...step,
      problem: 'from URL to URL',
      faults: [{ id: 'flt_1', kind: 'slow', on: 'from URL to URL' }],
      differences: [{ ...difference, expected: ['from URL to URL'], actual: { a: 'from URL to URL', b: null } }],
    },
  ]);
  expect(neutral({ steps: [{ ...step, differences: [] }], changing }).steps).toEqual([{ ...step, differences: [] }]);
});

test('interface §5: the instants of real time are those of requests and snapshots', () => {
  const request = { at: '1', method: 'GET', path: '/', duration_ms: 1 };
  const snapshot = { name: 'a', created_at: '2', bytes: 1 };
  const ofAccount = [
    { at: '3' },
    { created_at: '4' },
    { at: '5', method: 'GET', path: '/' },
    { created_at: '6', name: 'a' },
  ];
  expect(realInstants({ data: [request, { of: snapshot }, ...ofAccount, null] })).toEqual(['1', '2']);
});

test('of a page, its visible text; of any text, the first 2,000 characters', () => {
  const page =
    '\n<!DOCTYPE html><style>a { b }</style><svg><path/></svg><p class="x">One\n  <b>two</b></p><script>c()</script>';
  expect(visible(page)).toBe('One two');
  const other = ' <b>no\n  page</b> ';
  expect(visible(other)).toBe(other);
  expect(visible('x'.repeat(2_000))).toBe('x'.repeat(2_000));
  expect(visible('x'.repeat(2_001))).toBe(`${'x'.repeat(2_000)}…`);
});

test.each(['<', '<script>', '<svg '])('a page of nothing but %s takes no longer than to read it', (part) => {
  expect(visible(`<!doctype html>${part.repeat(200_000)}`).length).toBeLessThan(2_002);
});
