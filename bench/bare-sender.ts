/** The reference for deliveries: loops that only sign a body, post it and read the answer. */
import { createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';

export interface Posts {
  readonly url: string;
  readonly body: string;
  readonly count: number;
  /** How many loops share the posts. */
  readonly loops: number;
}

const agent = new Agent({ keepAlive: true });
const key = Buffer.alloc(32, 7);

function post(url: URL, id: string, body: string): Promise<void> {
  const seconds = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'bare/1',
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': `v1,${signature}`,
    };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.on('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`The receiver answered ${response.statusCode}.`));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

process.on('message', async ({ url, body, count, loops }: Posts) => {
  const target = new URL(url);
  const loop = async () => {
    for (let n = 0; n < count / loops; n += 1) await post(target, `evt_${n}`, body);
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: loops }, loop));
  process.send?.((performance.now() - startedAt) / 1000);
});
