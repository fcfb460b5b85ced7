import { useContext } from 'preact/hooks';
import { grouped } from '../../../../domain/text.ts';
import { browseDeliveries } from '../../../../operations/browse.ts';
import { getEvent, resendEvent } from '../../../../operations/events.ts';
import type { Answer } from '../../../../operations/operation.ts';
import type { Delivery, WebhookEndpoint } from '../../../../operations/wire.ts';
import { askAs, askErrorOf, askedFor } from '../../ask.ts';
import { refresh } from '../../live.ts';
import { shared } from '../../shared.ts';
import { plural } from '../../words.ts';
import { Here } from '../here.ts';
import { isSecond } from './levers.tsx';
import { teller } from './toast.tsx';

/** One click resends no more than this many events, the newest. */
const MOST = 1_000;

interface Narrow {
  readonly endpoint_id?: string;
  readonly event_type?: Delivery['event_type'];
}

/** The work under way, and its account. It goes on while the user looks at another view. */
const progress = shared<{ readonly account: string; readonly text: string } | null>(null);
let isStopAsked = false;

/** Resends every event whose latest delivery to an enabled endpoint failed. */
export function ResendFailed({ narrow, endpoints }: { narrow: Narrow; endpoints: readonly WebhookEndpoint[] }) {
  const { href } = useContext(Here);
  const shown = progress.use();

  const work = async () => {
    isStopAsked = false;
    const [account, say] = [askedFor(), teller()];
    // It ends where another account is shown, and then only says what it resent.
    const isLeft = () => askedFor() !== account;
    const isStopped = () => isStopAsked || isLeft();
    const tell = (text: string) => progress.set({ account, text });
    tell('Looking for failed events…');
    let resent = 0;
    let delivered = 0;
    try {
      const owed = await owedOnes(account, narrow, endpoints, isStopped);
      for (const { event_id: id, endpoint_id } of owed) {
        if (isStopped()) break;
        tell(`Resending ${grouped(resent + 1)} of ${grouped(owed.length)}…`);
        const { data } = await askAs(account, null, resendEvent, { params: { id }, body: { endpoint_id } });
        resent += 1;
        if (data[0]?.status === 'delivered') delivered += 1;
      }
    } catch (error) {
      if (!isLeft()) say(askErrorOf(error).message, 'bad');
      if (resent === 0) return;
    } finally {
      if (progress.get()?.account === account) progress.set(null);
      refresh();
    }
    if (resent === 0) {
      if (isLeft()) return;
      return say(
        isStopped() ? 'Stopped: nothing was resent.' : 'Nothing to resend: no enabled endpoint is missing an event.',
      );
    }
    const failed = resent - delivered;
    const limit = resent === MOST ? ` One click resends at most ${grouped(MOST)} events.` : '';
    say(
      `Resent ${plural(resent, 'event')}: ${grouped(delivered)} delivered, ${grouped(failed)} not.${limit}`,
      failed === 0 ? 'good' : 'bad',
      failed === 0
        ? undefined
        : { href: href('webhooks', null, { status: 'pending' }), text: 'Show what will be retried' },
    );
  };

  const press = () => {
    if (progress.get()?.account === askedFor()) isStopAsked = true;
    else void work();
  };

  const text = shown?.account === askedFor() ? shown.text : null;
  return (
    <>
      <span role="status" class="soft">
        {text}
      </span>
      {/* One button, so that it keeps the focus. */}
      <button type="button" onClick={(event) => isSecond(event) || press()}>
        {text === null ? 'Resend all failed' : 'Stop'}
      </button>
    </>
  );
}

type Owed = Pick<Delivery, 'event_id'> & { readonly endpoint_id: string };

/** The events that never reached an enabled endpoint, oldest first. */
async function owedOnes(
  account: string,
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
      if (isStopped()) return [];
      const query = { ...narrow, endpoint_id, status: 'failed', ...(before === null ? {} : { before }) } as const;
      const page: Answer<typeof browseDeliveries> = await askAs(account, null, browseDeliveries, { query });
      for (const { event_id } of page.data) {
        if (seen.has(event_id)) continue;
        if (isStopped() || owed.length === MOST) return owed.reverse();
        seen.add(event_id);
        if (await isMissed(account, event_id, endpoint_id)) owed.push({ event_id, endpoint_id });
      }
      before = page.meta.older;
    } while (before !== null);
  }
  return owed.reverse();
}

async function isMissed(account: string, id: string, endpointId: string): Promise<boolean> {
  const { data } = await askAs(account, null, getEvent, { params: { id } });
  return data.deliveries.every(({ endpoint_id, status }) => endpoint_id !== endpointId || status === 'failed');
}
