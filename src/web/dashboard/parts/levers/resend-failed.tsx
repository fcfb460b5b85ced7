import { useContext, useRef, useState } from 'preact/hooks';
import { browseDeliveries } from '../../../../operations/browse.ts';
import { getEvent, resendEvent } from '../../../../operations/events.ts';
import type { Delivery, WebhookEndpoint } from '../../../../operations/wire.ts';
import { AskError, ask, askWhole } from '../../ask.ts';
import { stir } from '../../live.ts';
import { plural } from '../../words.ts';
import { Here } from '../here.ts';
import { Act } from './levers.tsx';
import { say } from './toast.tsx';

/** One click looks at no more than this many failed deliveries, newest first. */
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
    let resent = 0;
    let delivered = 0;
    try {
      const owed = await failedOnes(narrow, new Set(endpoints.filter((each) => each.enabled).map(({ id }) => id)));
      for (const { event_id: id, endpoint_id } of owed) {
        if (stopped.current) break;
        setProgress(`Resending ${resent + 1} of ${owed.length}…`);
        const [sent] = await ask(resendEvent, { params: { id }, body: { endpoint_id: endpoint_id as string } });
        resent += 1;
        if (sent?.status === 'delivered') delivered += 1;
      }
    } catch (error) {
      if (!(error instanceof AskError)) throw error;
      say(error.message, 'bad');
    } finally {
      setProgress(null);
      stir();
    }
    if (resent === 0) return say('Nothing to resend: no enabled endpoint is missing an event.');
    const failed = resent - delivered;
    say(
      `Resent ${plural(resent, 'event')}: ${delivered} delivered, ${failed} not.`,
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

/** Failed deliveries of events that never reached that endpoint, oldest first. */
async function failedOnes(narrow: Narrow, enabled: ReadonlySet<string>): Promise<Delivery[]> {
  const found = new Map<string, Delivery>();
  let before: string | null = null;
  let seen = 0;
  do {
    const query = { ...narrow, status: 'failed', ...(before === null ? {} : { before }) } as const;
    const page: { data: readonly Delivery[]; meta: { older: string | null } } = await askWhole(browseDeliveries, {
      query,
    });
    for (const each of page.data) {
      if (each.endpoint_id === null || !enabled.has(each.endpoint_id)) continue;
      const key = `${each.event_id} ${each.endpoint_id}`;
      if (!found.has(key)) found.set(key, each);
    }
    seen += page.data.length;
    before = page.meta.older;
  } while (before !== null && seen < MOST);
  const owed: Delivery[] = [];
  for (const each of [...found.values()].reverse()) {
    const { deliveries } = await ask(getEvent, { params: { id: each.event_id } });
    const others = deliveries.filter(({ endpoint_id }) => endpoint_id === each.endpoint_id);
    if (others.every(({ status }) => status === 'failed')) owed.push(each);
  }
  return owed;
}
