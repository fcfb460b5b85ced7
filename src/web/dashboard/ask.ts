import type { Input } from '../../library/client.ts';
import { type Answer, addressOf, type Operation, type Params } from '../../operations/operation.ts';
import { key } from './key.ts';
import { shared } from './shared.ts';

/** A refusal of the simulator. `status` 0: it did not answer. */
export class AskError extends Error {
  readonly status: number;
  /** Messages by field name. */
  readonly errors: Readonly<Record<string, readonly string[]>>;

  constructor(status: number, message: string, errors: AskError['errors'] = {}) {
    super(message);
    this.status = status;
    this.errors = errors;
  }
}

/** Anything that was thrown while asking, as an error to show. */
export const askErrorOf = (thrown: unknown) => (thrown instanceof AskError ? thrown : new AskError(0, String(thrown)));

let account = '';

/** Sets the account that later calls act on. */
export function askFor(clientId: string) {
  account = clientId;
}

export const askedFor = () => account;

/** Whether the simulator no longer knows this browser, for example after a restart. */
export const signedOut = shared(false);

let acts = 0;

/** How many changes this page has made. */
export const actsSoFar = () => acts;

export type Asked<O extends Operation> = keyof Params<O> extends never ? [input?: Input<O>] : [input: Input<O>];

/** The `data` of an answer, or undefined. */
export type Data<O extends Operation> = Answer<O> extends { readonly data: infer D } ? D : undefined;

/** Calls an operation and returns the whole answer. The signal aborts the request. */
export const askUntil = <O extends Operation>(
  signal: AbortSignal,
  operation: O,
  ...input: Asked<O>
): Promise<Answer<O>> => askAs(account, signal, operation, ...input);

/**
 * The same for a given account, which may no longer be the one that is shown. The cookie and the key authenticate; a
 * header names the account.
 * @throws AskError
 */
export async function askAs<O extends Operation>(
  account: string,
  signal: AbortSignal | null,
  operation: O,
  ...[input]: Asked<O>
): Promise<Answer<O>> {
  const { body } = (input ?? {}) as Given;
  const response = await reach(pathTo(operation, input), {
    method: operation.method,
    headers: {
      ...(account === '' ? {} : { 'x-layaway-account': account }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  });
  const answer = response.status === 204 ? undefined : await response.json().catch(() => null);
  if (!response.ok)
    throw new AskError(response.status, messageOf(answer), (answer as Partial<AskError> | null)?.errors);
  if (operation.method !== 'GET') acts += 1;
  return answer as Answer<O>;
}

/** Calls an operation and returns the `data` of the response. */
export const ask = <O extends Operation>(operation: O, ...input: Asked<O>): Promise<Data<O>> =>
  asker()(operation, ...input);

/** The input of any operation. */
export type Given = Pick<Input<Operation>, 'query' | 'body'> & { readonly params?: Readonly<Record<string, string>> };

/**
 * `ask` for the account that is shown now. For an action of several calls: the user may open another account between
 * them.
 */
export function asker() {
  const own = account;
  return async <O extends Operation>(operation: O, ...input: Asked<O>): Promise<Data<O>> =>
    ((await askAs(own, null, operation, ...input)) as { readonly data: Data<O> } | undefined)?.data as Data<O>;
}

/** The path of a call, with its query. */
export const pathTo = (operation: Operation, input: unknown = {}) => {
  const { params, query } = (input ?? {}) as Given;
  return addressOf(operation, params, query);
};

async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    const headers = { ...init.headers, 'x-layaway-dashboard': key() };
    const response = await fetch(path, { ...init, headers, credentials: 'same-origin', redirect: 'error' });
    if (response.status === 401) signedOut.set(true);
    return response;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new AskError(0, 'The simulator does not answer. Is it still running?');
  }
}

/** The messages of all invalid fields, not only of the first. */
function messageOf(answer: unknown): string {
  const { message, errors } = (answer ?? {}) as { message?: string; errors?: Record<string, string[]> };
  const all = Object.values(errors ?? {}).flat();
  return all.length > 0 ? all.join(' ') : (message ?? 'The simulator gave an unexpected response.');
}

/** Reports the server-sent events as they arrive, until the server closes the stream. */
export async function listen(operation: Operation, signal: AbortSignal, heard: (event: string, data: string) => void) {
  const response = await reach(pathTo(operation), { headers: { 'x-layaway-account': account }, signal });
  if (!response.ok || !response.body) throw new AskError(response.status, 'No stream.');
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    const end = text.lastIndexOf('\n\n');
    if (end < 0) continue;
    const events = text.slice(0, end + 1).matchAll(/^event: (\w+)\ndata: (.*)$/gm);
    text = text.slice(end + 2);
    // The last one of each name in a chunk is enough.
    const latest = new Map([...events].map(([, event = '', data = '']) => [event, data]));
    for (const [event, data] of latest) heard(event, data);
  }
}
