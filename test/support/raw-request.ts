import { type ClientRequest, type IncomingMessage, request } from 'node:http';

/** Headers as they are written to a socket. */
export const headerLines = (headers: object) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');

interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  /** The address for every host name, as in `/etc/hosts`. */
  readonly to?: string;
}

/** Sends one request to a URL whose host name may not resolve here. Resolves before the body is read. */
export const reach = (url: string, { method = 'GET', headers = {}, body, to = '127.0.0.1' }: Sent = {}) =>
  new Promise<{ answer: IncomingMessage; sent: ClientRequest }>((resolve, reject) => {
    const { host, port, pathname, search } = new URL(url);
    const sent = request(
      { host: to, port, method, path: `${pathname}${search}`, headers: { host, ...headers }, agent: false },
      (answer) => resolve({ answer, sent }),
    );
    sent.on('error', reject);
    sent.end(body);
  });

/** The same, with the whole body. */
export async function ask(url: string, how?: Sent) {
  const { answer } = await reach(url, how);
  let text = '';
  for await (const chunk of answer) text += chunk;
  return { status: answer.statusCode, headers: answer.headers, text };
}
