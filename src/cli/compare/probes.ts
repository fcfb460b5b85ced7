import {
  EMAIL_MAX,
  IDEMPOTENCY_KEY_MAX,
  METADATA_ITEMS_MAX,
  METADATA_KEY_MAX,
  METADATA_VALUE_MAX,
  ORDER_REFERENCE_MAX,
  URL_MAX,
} from '../../domain/limits.ts';

/** One request to both servers, and the decision that its answer shows. */
export interface Probe {
  /** What it tests, for people. */
  readonly title: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT';
  /** `{session}` and `{contract}` stand for one of the server's own. */
  readonly path: string;
  /** JSON, or a string that is sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Whose pair it carries instead of the account's own. */
  readonly as?: 'nobody' | 'another key' | 'a live key';
  /** The line of the decisions, or of the service description, that the answer follows. */
  readonly decision: string;
  /** Places that depend on what the account holds: their form is compared, not their value. */
  readonly byForm?: readonly string[];
}

const PAGINATION = 'decisions §5, Pagination';
const VALIDATION = 'decisions §5, Validation';
const ERRORS = 'decisions §5, Errors';
const ORDER = 'decisions §5, Order of checks on create';
const IDEMPOTENCY = 'decisions §5, Idempotency';
const HOSTED = 'decisions §5, Hosted read';

const NO_SESSION = `cs_${'0'.repeat(32)}`;
const NO_CONTRACT = 'LAY-0000000000';

/** The places in a page that depend on the account's own contracts. */
const OF_THE_LIST = ['body.data', 'body.links', 'body.meta.total', 'body.meta.last_page', 'body.meta.links'];
const OF_A_FULL_PAGE = [...OF_THE_LIST, 'body.meta.from', 'body.meta.to'];

type Special = Omit<Probe, 'title' | 'method' | 'path' | 'decision'>;

const get = (title: string, path: string, decision: string, special: Special = {}): Probe => ({
  title,
  method: 'GET',
  path,
  decision,
  ...special,
});

const READS: readonly Probe[] = [
  get('the key', '/v1/ping', 'service §4.1', { byForm: ['body.data.scopes'] }),
  get('names, terms and availability', '/v1/config', 'service §4.2'),
  get('the first page', '/v1/contracts', PAGINATION, { byForm: OF_A_FULL_PAGE }),
  get('one status', '/v1/contracts?status=active&page=1', PAGINATION, { byForm: OF_A_FULL_PAGE }),
  get('past the last page', '/v1/contracts?page=999999999', PAGINATION, { byForm: OF_THE_LIST }),
  get('an empty status', '/v1/contracts?status=', PAGINATION, { byForm: OF_A_FULL_PAGE }),
  ...['page=0', 'page=two', 'page=1&page=2', 'status=unknown', 'status=unknown&page=0'].map((query) =>
    get(`the query ${query}`, `/v1/contracts?${query}`, PAGINATION),
  ),
  get('a contract', '/v1/contracts/{contract}', 'service §2.6', { byForm: ['body.data'] }),
];

const REFUSALS: readonly Probe[] = [
  get('no pair', '/v1/ping', ERRORS, { as: 'nobody' }),
  get('a key that does not exist', '/v1/config', ERRORS, { as: 'another key' }),
  get('a key of the other mode', '/v1/ping', ERRORS, { as: 'a live key' }),
  get('an unknown session', `/v1/checkout-sessions/${NO_SESSION}`, ERRORS),
  get('an unknown session, hosted', `/v1/sessions/${NO_SESSION}`, ERRORS, { as: 'nobody' }),
  get('an unknown contract', `/v1/contracts/${NO_CONTRACT}`, ERRORS),
  {
    title: 'an unknown contract, cancelled',
    method: 'POST',
    path: `/v1/contracts/${NO_CONTRACT}/cancel`,
    decision: ERRORS,
  },
  {
    title: 'an unknown contract, updated with an invalid value',
    method: 'PATCH',
    path: `/v1/contracts/${NO_CONTRACT}`,
    body: { order_reference: 7 },
    decision: ORDER,
  },
  get('an unknown route', '/v1/layaway-compare', ERRORS),
  get('an unknown route without a pair', '/v1/layaway-compare', ORDER, { as: 'nobody' }),
  { title: 'another method', method: 'DELETE', path: '/v1/ping', decision: ERRORS },
  { title: 'another method without a pair', method: 'PUT', path: '/v1/sessions', as: 'nobody', decision: ORDER },
  { title: 'creating without a pair', method: 'POST', path: '/v1/sessions', body: '{', as: 'nobody', decision: ORDER },
];

const RETURN_URL = 'https://example.com/layaway-compare/return';
const ORDER_REFERENCE = 'layaway-compare';

/** The service refuses http whatever the rest of the body is, so no probe of a validation opens a session. */
const REFUSED_URL = 'http://example.com/layaway-compare/cancel';

/** The total and the cancel URL are always invalid. The rest is valid whatever the merchant has set. */
const invalidBody = (changes: object) => ({
  order_reference: ORDER_REFERENCE,
  total_amount: 0,
  return_url: RETURN_URL,
  cancel_url: REFUSED_URL,
  ...changes,
});

const keys = (count: number, length = 3) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [String(index).padStart(length, 'k'), 'v']));

const INVALID: Readonly<Record<string, object | string>> = {
  'an empty body': '',
  'a body that is not JSON': '{"order_reference"',
  'a list as body': '[]',
  'an empty object': {},
  'an order reference of null': invalidBody({ order_reference: null }),
  'a blank order reference': invalidBody({ order_reference: '  ' }),
  'a number as order reference': invalidBody({ order_reference: 7 }),
  'an order reference that is too long': invalidBody({ order_reference: 'é'.repeat(ORDER_REFERENCE_MAX + 1) }),
  'no total': invalidBody({ total_amount: undefined }),
  'a total in quotes': invalidBody({ total_amount: '20000' }),
  'a total with a fraction': invalidBody({ total_amount: 20000.5 }),
  'a total of true': invalidBody({ total_amount: true }),
  'a negative total': invalidBody({ total_amount: -1 }),
  'a total that is too large': invalidBody({ total_amount: 9e12 }),
  'a relative URL': invalidBody({ return_url: '/return' }),
  'a URL over http': invalidBody({ return_url: 'http://example.com/layaway-compare/return' }),
  'a URL of another scheme': invalidBody({ return_url: 'ftp://example.com/' }),
  'a URL with a space': invalidBody({ return_url: 'https://example.com/a b' }),
  'a URL that is too long': invalidBody({ return_url: `https://example.com/${'a'.repeat(URL_MAX)}` }),
  'an invalid email': invalidBody({ customer_email: 'not an address' }),
  'an email that is too long': invalidBody({ customer_email: `${'a'.repeat(EMAIL_MAX)}@example.com` }),
  'a number as email': invalidBody({ customer_email: 7 }),
  'a state of three letters': invalidBody({ customer_state: 'TEX' }),
  'a number as state': invalidBody({ customer_state: 48 }),
  'metadata as text': invalidBody({ metadata: 'order 7' }),
  'metadata as a list': invalidBody({ metadata: [] }),
  'too many metadata keys': invalidBody({ metadata: keys(METADATA_ITEMS_MAX + 1) }),
  'a metadata key that is too long': invalidBody({ metadata: keys(1, METADATA_KEY_MAX + 1) }),
  'a number as metadata value': invalidBody({ metadata: { table: 7 } }),
  'an empty metadata value': invalidBody({ metadata: { table: '' } }),
  'a metadata value that is too long': invalidBody({ metadata: { table: 'é'.repeat(METADATA_VALUE_MAX + 1) } }),
};

const CREATE = { method: 'POST', path: '/v1/sessions' } as const;

const VALIDATIONS: readonly Probe[] = [
  ...Object.entries(INVALID).map(([title, body]): Probe => ({ ...CREATE, title, body, decision: VALIDATION })),
  {
    ...CREATE,
    title: 'a body of another content type',
    headers: { 'content-type': 'text/plain' },
    body: JSON.stringify(invalidBody({})),
    decision: ERRORS,
  },
  {
    ...CREATE,
    title: 'an Idempotency-Key that is too long',
    headers: { 'idempotency-key': 'k'.repeat(IDEMPOTENCY_KEY_MAX + 1) },
    body: invalidBody({}),
    decision: ORDER,
  },
  {
    ...CREATE,
    title: 'the Idempotency-Key sent twice',
    headers: { 'idempotency-key': ['one', 'two'] },
    body: invalidBody({}),
    decision: IDEMPOTENCY,
  },
];

/** Changes nothing on either server. */
export const READING: readonly Probe[] = [...READS, ...REFUSALS, ...VALIDATIONS];

/** Opens a session on both and leaves it to expire. `key` is new to both; `totalCents` is inside both ranges. */
export function writing(key: string, totalCents: number): readonly Probe[] {
  const body = {
    order_reference: ORDER_REFERENCE,
    total_amount: totalCents,
    return_url: RETURN_URL,
    cancel_url: 'https://example.com/layaway-compare/cancel',
    customer_email: ' compare@example.com ',
    metadata: { table: ' 7 ' },
  };
  const create = { ...CREATE, headers: { 'idempotency-key': key } };
  return [
    { ...create, title: 'a session', body, decision: 'service §4.3' },
    { ...create, title: 'the same again', body, decision: IDEMPOTENCY },
    {
      ...create,
      title: 'the same key for another body',
      body: { ...body, order_reference: 'layaway-compare-2' },
      decision: IDEMPOTENCY,
    },
    { ...create, title: 'the same key for an invalid body', body: { ...body, total_amount: 0 }, decision: ORDER },
    get('the session', '/v1/checkout-sessions/{session}', 'service §2.5'),
    get('the session, hosted', '/v1/sessions/{session}', HOSTED, { as: 'nobody' }),
  ];
}
