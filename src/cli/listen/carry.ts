import { isHeaderValue } from '../../domain/text.ts';
import { type AttemptOutcome, isDelivered, type Letter, UNVERIFIED } from '../../domain/webhook.ts';
import { reportDelivery } from '../../operations/webhooks.ts';
import type { LayawayEvent } from '../../operations/wire.ts';
import type { Cli } from '../command.ts';
import { Refused } from '../exit.ts';
import { subjectOf } from '../show/event.ts';
import { typePaint } from '../show/happened.ts';
import { instant } from '../terminal/format.ts';
import { createForwarder } from './forward.ts';

/** A delivery in the stream of an endpoint. */
export interface StreamedDelivery extends Letter {
  readonly delivery_id: string;
  readonly url: string;
  readonly attempt: number;
}

/** How to reach the receiver. */
interface ReceiverFlags {
  readonly header?: Readonly<Record<string, string>>;
  readonly insecure?: boolean;
}

/** Returns what verifies, forwards, prints and reports an attempt. */
export async function carrier(
  cli: Cli,
  url: string,
  { header = {}, insecure = false }: ReceiverFlags,
  newSecret: () => Promise<string>,
) {
  const [{ createDeliver, unanswered }, { verify, WebhookVerificationError }, { realTime }] = await Promise.all([
    import('../../webhook/deliver.ts'),
    import('../../webhook/verify.ts'),
    import('../../time/real.ts'),
  ]);
  const { now } = realTime;
  const forward = createForwarder(createDeliver(now), { url, insecure, note: cli.out.note });

  /** Why the letter does not verify; null when it does. */
  function flaw({ body, headers }: Letter, secret: string): string | null {
    try {
      verify(body, headers, secret, { now: now() });
      return null;
    } catch (error) {
      if (error instanceof WebhookVerificationError) return `${UNVERIFIED}: ${error.message}`;
      throw error;
    }
  }

  return async (letter: StreamedDelivery, secret: string) => {
    // The secret may have been rotated since.
    const broken = flaw(letter, secret) && flaw(letter, await newSecret());
    const outcome =
      broken === null
        ? await forward({ headers: { ...carried(letter.headers), ...header }, body: letter.body })
        : unanswered(now(), 0, broken, {});
    print(cli, letter, { ...outcome, isVerified: broken === null });
    await report(cli, letter, outcome);
  };
}

/** Passes on only these headers: with others, the server could pose as somebody else to the receiver. */
const carried = (headers: Letter['headers']) =>
  Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name, value]) => /^(webhook-[\w-]+|content-type|user-agent)$/.test(name) && isHeaderValue(value)),
  );

/** Reports the attempt to the server, which records it as its own. */
async function report({ client, out }: Cli, letter: StreamedDelivery, outcome: AttemptOutcome) {
  const { statusCode, durationMs, error, responseHeaders, responseBody } = outcome;
  const isStatus = statusCode !== null && statusCode >= 100 && statusCode <= 599;
  const body = {
    attempt: letter.attempt,
    status_code: isStatus ? statusCode : null,
    duration_ms: Math.min(durationMs, 86_400_000),
    error: statusCode === null || isStatus ? error : `it returned ${statusCode}, which is not an HTTP status`,
    response_headers: responseHeaders,
    response_body: responseBody,
  };
  try {
    await client.call(reportDelivery, { params: { id: letter.delivery_id }, body });
  } catch (refused) {
    if (!(refused instanceof Refused) || (refused.status !== 409 && refused.status !== 404)) throw refused;
    out.note(`The server no longer accepts the result of ${letter.delivery_id}.`);
  }
}

function print({ out }: Cli, letter: StreamedDelivery, outcome: AttemptOutcome & { readonly isVerified: boolean }) {
  const event: LayawayEvent = JSON.parse(letter.body);
  const subject = subjectOf(event);
  const { statusCode, durationMs, error, isVerified } = outcome;
  if (out.json) {
    const line = {
      delivery_id: letter.delivery_id,
      event_id: event.id,
      created_at: event.created_at,
      type: event.type,
      subject,
      url: letter.url,
      attempt: letter.attempt,
      status_code: statusCode,
      duration_ms: durationMs,
      error,
      verified: isVerified,
    };
    return out.document(JSON.stringify(line));
  }
  const { dim, bold, green, red } = out.paint;
  out.line(
    [
      dim(instant(event.created_at)),
      (isDelivered(outcome) ? green : red)(String(statusCode ?? '---')),
      typePaint(out.paint)(event.type.padEnd(26)),
      bold(subject),
      dim(`${error === null ? '' : `${error}, `}attempt ${letter.attempt}, ${durationMs} ms`),
    ].join('  '),
  );
}
