import { key } from './key.ts';

/** What the simulator refused, or that it did not answer (`status` 0). */
export class AskError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

let account = '';

/** From here on, account levers act on this account. */
export function askFor(clientId: string) {
  account = clientId;
}

export const askedFor = () => account;

export interface Options {
  readonly method?: string;
  readonly body?: object;
  readonly signal?: AbortSignal;
}

/**
 * One request to the control plane; cookie and key say who asks, the header for which account.
 * @throws AskError
 */
export async function askWhole<T>(path: string, { method = 'GET', body, signal }: Options = {}): Promise<T> {
  const response = await reach(path, {
    method,
    headers: {
      ...(account === '' ? {} : { 'x-layaway-account': account }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (response.status === 204) return undefined as T;
  const answer = await response.json().catch(() => null);
  if (!response.ok) throw new AskError(response.status, messageOf(answer));
  return answer as T;
}

/** The `data` of an answer. */
export const ask = async <T>(path: string, options?: Options): Promise<T> =>
  (await askWhole<{ data: T } | undefined>(path, options))?.data as T;

async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    const headers = { ...init.headers, 'x-layaway-dashboard': key() };
    return await fetch(path, { ...init, headers, credentials: 'same-origin', redirect: 'error' });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new AskError(0, 'The simulator does not answer. Is it still running?');
  }
}

/** Every field that was wrong, not only the first. */
function messageOf(answer: unknown): string {
  const { message, errors } = (answer ?? {}) as { message?: string; errors?: Record<string, string[]> };
  const all = Object.values(errors ?? {}).flat();
  return all.length > 0 ? all.join(' ') : (message ?? 'The simulator answered something unexpected.');
}

/** Words of the server, as they come, until it hangs up. */
export async function listen(path: string, signal: AbortSignal, heard: (event: string) => void) {
  const response = await reach(path, { headers: { 'x-layaway-account': account }, signal });
  if (!response.ok || !response.body) throw new AskError(response.status, 'No stream.');
  heard('open');
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    const end = text.lastIndexOf('\n\n');
    if (end < 0) continue;
    const events = text.slice(0, end).match(/^event: \w+$/gm) ?? [];
    text = text.slice(end + 2);
    // Many words at once say no more than one of each.
    for (const event of new Set(events)) heard(event.slice('event: '.length));
  }
}
