import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { selfSigned } from './certificate.ts';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A status, or a function that handles the request. */
export type Reply = number | ((response: ServerResponse, request: IncomingMessage) => void);

export type Receiver = Awaited<ReturnType<typeof openReceiver>>;

/** A real webhook receiver that follows a script. After its end, it answers 200. */
export async function openReceiver(
  script: readonly Reply[] = [],
  { https = false }: { readonly https?: boolean | ReturnType<typeof selfSigned> } = {},
) {
  const received: Received[] = [];
  const replies = [...script];
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') });
      const reply = replies.shift() ?? 200;
      if (typeof reply === 'function') return reply(response, request);
      response.statusCode = reply;
      response.end();
    });
  };
  const server = https ? createTlsServer(https === true ? selfSigned() : https, answer) : createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `${https ? 'https' : 'http'}://127.0.0.1:${port}/webhooks`,
    received,
    /** Appends to the script. */
    script: (...more: Reply[]) => void replies.push(...more),
    types: () => received.map(({ body }) => JSON.parse(body).type as string),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
}

/** A reply whose body ends before its length. */
export const breaksOff: Reply = (response) => {
  response.writeHead(200, { 'content-length': '9' });
  response.write('hello', () => response.socket?.end());
};

/** The next request to the receiver is answered, with `status`, when `answer` is called. */
export function silence(receiver: Pick<Receiver, 'script'>, status = 200) {
  let answer = (): void => undefined;
  const reached = new Promise<void>((resolve) => {
    receiver.script((response) => {
      answer = () => void response.writeHead(status).end();
      resolve();
    });
  });
  return { reached, answer: () => answer() };
}
