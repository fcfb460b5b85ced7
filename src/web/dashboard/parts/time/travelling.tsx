import { useContext, useEffect } from 'preact/hooks';
import { getAdvance, LEFT_MAX, stopAdvance } from '../../../../operations/clock.ts';
import type { AdvanceProgress } from '../../../../operations/wire.ts';
import { ask } from '../../ask.ts';
import { refresh, useRead } from '../../live.ts';
import { dateOf, momentOf, plural } from '../../words.ts';
import { Here } from '../here.ts';
import { Act } from '../levers/levers.tsx';
import { teller } from '../levers/toast.tsx';
import { EventType, Link } from '../ui.tsx';

/** A dry run changes nothing, so no change event reports its progress: it has to be polled. */
const LOOK_AGAIN_MS = 1_000;

/** The advance that is running in this account, whoever started it. `asked`: this page has started one. */
export function useAdvance(asked = false): AdvanceProgress | null {
  const { data, reload } = useRead(getAdvance);
  const isUnderWay = asked || Boolean(data);
  useEffect(() => {
    if (!isUnderWay) return;
    const timer = setInterval(reload, LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [isUnderWay, reload]);
  return data ?? null;
}

/** How much of an advance is done, from 0 to 1; null if unknown. */
function shareOf({ from, to, now, happened_count: count, left_count: left }: AdvanceProgress): number | null {
  if (left === null) return null;
  if (left < LEFT_MAX) return count + left === 0 ? 1 : count / (count + left);
  const [start, end, at] = [from, to, now].map((instant) => Date.parse(instant)) as [number, number, number];
  return (at - start) / Math.max(1, end - start);
}

/** The progress of an advance, and the lever that stops it. */
export function Travelling({
  of,
  stopping = () => undefined,
  stopped,
  everywhere = false,
}: {
  of: AdvanceProgress | null;
  /** Called before the stop is requested. */
  stopping?: () => void;
  stopped: (progress: AdvanceProgress, tell: ReturnType<typeof teller>) => void;
  /** Shown over any view, not as a panel. */
  everywhere?: boolean;
}) {
  const stop = async () => {
    stopping();
    const tell = teller();
    const progress = await ask(stopAdvance);
    if (progress) stopped(progress, tell);
    else tell('It had already ended.');
    refresh();
  };
  const share = of && shareOf(of);
  const percent = share === null ? null : Math.floor(share * 100);
  return (
    <section
      class={everywhere ? 'travelling everywhere' : 'travelling panel'}
      aria-label="Time is passing"
      data-testid="travelling"
    >
      <p>
        <strong>{of?.dry_run ? 'Looking ahead…' : 'Time is passing…'}</strong>{' '}
        {of && (
          <>
            {percent !== null && <span class="unbroken">{percent}%, </span>}
            <span class="unbroken">{plural(of.happened_count, 'event')}</span>
            {!of.dry_run && (
              <>
                , <span class="unbroken">it is {dateOf(of.now)}</span>
              </>
            )}
          </>
        )}
      </p>
      <Act does={stop}>Stop</Act>
      <progress aria-label="Done" {...(percent === null ? {} : { value: percent, max: 100 })} />
    </section>
  );
}

/** A running advance, for the views that do not show it themselves. */
export function TravellingAnywhere() {
  const advance = useAdvance();
  if (!advance) return null;
  return <Travelling everywhere of={advance} stopped={(progress, tell) => tell(stoppedText(progress))} />;
}

const stoppedText = ({ dry_run: dry, now, happened_by_type: byType }: AdvanceProgress) =>
  dry ? 'Stopped looking ahead.' : `Stopped at ${momentOf(now)}. ${tallyText(byType)}`;

type ByType = AdvanceProgress['happened_by_type'];

const mostFirst = (byType: ByType) => Object.entries(byType).toSorted(([, a], [, b]) => b - a);

/** The number of events by type, as a sentence. */
export function tallyText(byType: ByType): string {
  const parts = mostFirst(byType).map(([type, n]) => `${n.toLocaleString('en-US')} × ${type}`);
  return parts.length === 0 ? 'Nothing happened.' : `Happened: ${parts.join(', ')}.`;
}

/** The number of events by type. `linked`: each type links to its events, which a dry run does not have. */
export function TalliedTypes({ of, linked }: { of: ByType; linked: boolean }) {
  const { href } = useContext(Here);
  return (
    <ul class="tallied" data-testid="tallied">
      {mostFirst(of).map(([type, n]) => (
        <li key={type}>
          {linked ? (
            <Link href={href('events', null, { search: type })} class="plain-link">
              <EventType type={type} />
            </Link>
          ) : (
            <EventType type={type} />
          )}{' '}
          × {n.toLocaleString('en-US')}
        </li>
      ))}
    </ul>
  );
}
