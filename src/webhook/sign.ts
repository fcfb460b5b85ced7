import { createHmac, timingSafeEqual } from 'node:crypto';

/** The headers of one attempt (Standard Webhooks 1.0). `timestampSeconds` is the real time of this attempt. */
export function signedHeaders(id: string, timestampSeconds: number, body: string, secrets: readonly string[]) {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': secrets.map((secret) => signature(id, timestampSeconds, body, secret)).join(' '),
  };
}

/** `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`. The key is the decoded part after `whsec_`. */
export function signature(
  id: string,
  timestampSeconds: number | string,
  body: string | Uint8Array,
  secret: string,
): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestampSeconds}.`).update(body).digest('base64')}`;
}

export const sameSignature = (a: string, b: string) => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
};
