import type { StepInput, Verb } from './schema.ts';
import type { Request } from './stage.ts';

/** Steps that are one request: what each sends, once `${…}` is replaced. */
type Sends = {
  readonly [V in Exclude<Verb, 'receiver' | 'wait' | 'settle'>]: (input: StepInput<V>, url: string) => Request;
};

const EXAMPLE_URLS = { return_url: 'https://example.com/return', cancel_url: 'https://example.com/cancel' };

const hosted = (step: string) => (input: { readonly session: string }) => {
  const { session, ...body } = input;
  return post(`/_sim/sessions/${id(session)}/${step}`, body);
};
const post = (path: string, body: object = {}): Request => ({ method: 'POST', path, body });
const id = encodeURIComponent;
const contractPath = (reference: string) => `/v1/contracts/${id(reference)}`;

export const SENDS: Sends = {
  'create-session': ({ idempotency_key: key, preview, ...order }) => {
    const body = { ...EXAMPLE_URLS, ...order };
    if (preview) return post('/_sim/sessions', { ...body, preview });
    return { ...post('/v1/sessions', body), ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }) };
  },
  accept: hosted('accept'),
  pay: hosted('pay'),
  'complete-checkout': hosted('complete'),
  'cancel-checkout': hosted('cancel'),
  outcomes: ({ contract, outcomes }) => ({
    method: 'PUT',
    path: `/_sim/contracts/${id(contract)}/outcomes`,
    body: { outcomes },
  }),
  'cancel-contract': ({ contract }) => ({ method: 'POST', path: `${contractPath(contract)}/cancel` }),
  'update-contract': ({ contract, ...changes }) => ({ method: 'PATCH', path: contractPath(contract), body: changes }),
  advance: (destination) => post('/_sim/clock/advance', destination),
  settings: (changes) => ({ method: 'PATCH', path: '/_sim/settings', body: changes }),
  platform: (changes) => ({ method: 'PATCH', path: '/_sim/platform', body: changes }),
  endpoint: (endpoint) => post('/_sim/webhook-endpoints', endpoint),
  request: ({ method, path, headers = {}, body }, url) => ({
    method,
    path: path.startsWith(`${url}/`) ? path.slice(url.length) : path,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value === null ? null : String(value)]),
    ),
    ...(body === undefined || body === null ? {} : { body: typeof body === 'string' ? body : (body as object) }),
  }),
};

export const readContract = (reference: string): Request => ({ method: 'GET', path: contractPath(reference) });

export const settle = (reference: string, number: number): Request =>
  post(`/_sim/contracts/${id(reference)}/installments/${number}/settle`);
