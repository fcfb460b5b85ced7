import { useContext, useRef, useState } from 'preact/hooks';
import { browseDeliveries } from '../../../../operations/browse.ts';
import { getEvent, resendEvent } from '../../../../operations/events.ts';
import type { Answer } from '../../../../operations/operation.ts';
import type { Delivery, WebhookEndpoint } from '../../../../operations/wire.ts';
import { AskError, ask, askedFor, askWhole } from '../../ask.ts';
import { stir } from '../../live.ts';
import { plural } from '../../words.ts';
import { Here } from '../here.ts';
import { Act } from './levers.tsx';
import { say } from './toast.tsx';

/** One click resends no more than this many events, the newest. */
const MOST = 1_000;

interface Narrow {
  readonly endpoint_id?: string;
  readonly event_type?: Delivery['event_type'];
}

/** Resends every event whose latest delivery to an enabled endpoint failed. */
export function ResendFailed({ narrow, endpoints }: { narrow: Narrow; endpoints: readonly WebhookEndpoint[] }) {
  const { href } = useContext(Here);
  const [progress, setProgress] = useState<string | null>(null);
  const stopped = useRef(false);

  const work = async () => {
    stopped.current = false;
    const account = askedFor();
    // Another account has none of these events.
    const isStopped = () => stopped.current || askedFor() !== account;
    setProgress('Looking for failed events…');
    let resent = 0;
    let delivered = 0;
    try {
      const owed = await owedOnes(narrow, endpoints, isStopped);
      for (const { event_id: id, endpoint_id } of owed) {
        if (isStopped()) break;
        setProgress(`Resending ${resent + 1} of ${owed.length}…`);
        const [sent] = await ask(resendEvent, { params: { id }, body: { endpoint_id } });
        resent += 1;
        if (sent?.status === 'delivered') delivered += 1;
      }
    } catch (error) {
      if (!(error instanceof AskError)) throw error;
      say(error.message, 'bad');
      if (resent === 0) return;
    } finally {
      setProgress(null);
      stir();
    }
    if (resent === 0) {
      return say(
        isStopped() ? 'Stopped: nothing was resent.' : 'Nothing to resend: no enabled endpoint is missing an event.',
      );
    }
    const failed = resent - delivered;
    const limit = resent === MOST ? ` One click resends at most ${MOST.toLocaleString('en-US')} events.` : '';
    say(
      `Resent ${plural(resent, 'event')}: ${delivered} delivered, ${failed} not.${limit}`,
      failed === 0 ? 'good' : 'bad',
      failed === 0
        ? undefined
        : { href: href('webhooks', null, { status: 'pending' }), text: 'Show what will be retried' },
    );
  };

  return (
    <>
      <span role="status" class="soft">
        {progress}
      </span>
      {progress === null ? (
        <Act does={work}>Resend all failed</Act>
      ) : (
        <button
          type="button"
          onClick={() => {
            stopped.current = true;
          }}
        >
          Stop
        </button>
      )}
    </>
  );
}

type Owed = Pick<Delivery, 'event_id'> & { readonly endpoint_id: string };

/** The events that never reached an enabled endpoint, oldest first. */
async function owedOnes(
  narrow: Narrow,
  endpoints: readonly WebhookEndpoint[],
  isStopped: () => boolean,
): Promise<Owed[]> {
  const owed: Owed[] = [];
  for (const { id: endpoint_id, enabled } of endpoints) {
    if (!enabled || (narrow.endpoint_id ?? endpoint_id) !== endpoint_id) continue;
    const seen = new Set<string>();
    let before: string | null = null;
    do {
      const query = { ...narrow, endpoint_id, status: 'failed', ...(before === null ? {} : { before }) } as const;
      const page: Answer<typeof browseDeliveries> = await askWhole(browseDeliveries, { query });
      for (const { event_id } of page.data) {
        if (seen.has(event_id)) continue;
        if (isStopped() || owed.length === MOST) return owed.reverse();
        seen.add(event_id);
        if (await isMissed(event_id, endpoint_id)) owed.push({ event_id, endpoint_id });
      }
      before = page.meta.older;
    } while (before !== null);
  }
  return owed.reverse();
}

async function isMissed(id: string, endpointId: string): Promise<boolean> {
  const { deliveries } = await ask(getEvent, { params: { id } });
  return deliveries.every(({ endpoint_id, status }) => endpoint_id !== endpointId || status === 'failed');
}
