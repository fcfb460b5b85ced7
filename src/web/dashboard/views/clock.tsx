import { type ComponentChildren, Fragment, type InputHTMLAttributes } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { AHEAD_STEPS, AHEAD_STEPS_MAX, browseAhead } from '../../../operations/browse.ts';
import { advanceClock, freezeClock, resumeClock } from '../../../operations/clock.ts';
import type { Body } from '../../../operations/operation.ts';
import type { Advanced, AdvanceProgress } from '../../../operations/wire.ts';
import { type AskError, askErrorOf, asker } from '../ask.ts';
import { refresh, stateEpoch, useKept, useRead } from '../live.ts';
import { Field } from '../parts/fields.tsx';
import { Here } from '../parts/here.ts';
import { Fields } from '../parts/levers/errors.tsx';
import { CopyAs, Lever, leverOf } from '../parts/levers/levers.tsx';
import { callOf, stepOf } from '../parts/levers/snippets.ts';
import { teller } from '../parts/levers/toast.tsx';
import { undoableTravel } from '../parts/levers/undo.tsx';
import { Id } from '../parts/link-to.tsx';
import { Failure, Shown } from '../parts/shown.tsx';
import { Forecast } from '../parts/time/forecast.tsx';
import { Happenings, lineOf } from '../parts/time/happenings.tsx';
import { TalliedTypes, Travelling, useAdvance } from '../parts/time/travelling.tsx';
import { Badge, Empty, Page, Panel } from '../parts/ui.tsx';
import { dateOf, fromNow, isoOf, momentOf, plural, spaced, timeOf } from '../words.ts';

const STEPS = ['1h', '1d', '1w', '2w', '1mo', '12mo'];
const CONDITIONS = ['LAY-…=defaulted,', 'LAY-…#2=past_due,', 'cs_…=expired'];
/** How many events of an advance are listed; the rest is under Events. */
const LISTED = 200;

type Journey = Body<typeof advanceClock>;

/** The result of an advance. `way` is null if it was stopped. */
type Done = { readonly epoch: number } & (
  | { readonly way: Journey; readonly result: Advanced }
  | { readonly way: null; readonly result: AdvanceProgress }
);

export function ClockView() {
  const { clock, now } = useContext(Here);
  const [steps, setSteps] = useState<number>(AHEAD_STEPS);
  const ahead = useKept(useRead(browseAhead, { query: { steps } }));
  const { travel, leap, advance, isPassing, error, last, stopping, stopped } = useTravel();

  return (
    <Page title="Clock" lead="Time of this account. Sessions, plans and webhook retries follow it; everything is UTC.">
      <Panel
        title="Now"
        aside={
          clock.mode === 'running' ? (
            <Lever {...leverOf(freezeClock, 'The clock is frozen.')}>Freeze</Lever>
          ) : (
            <Lever {...leverOf(resumeClock, 'The clock is running.')}>Resume</Lever>
          )
        }
      >
        <p class="big-clock" data-testid="clock-now">
          <span>{dateOf(now)}</span> <span class="big-time">{timeOf(now)}</span> <Badge of={clock.mode} />
        </p>
        {clock.next_due && (
          <p data-testid="next-due">
            Next: {spaced(clock.next_due.type)} of <Id of={clock.next_due.subject} short />{' '}
            {fromNow(clock.next_due.at, now)}, on {momentOf(clock.next_due.at)}.
          </p>
        )}
      </Panel>
      <Advance travel={travel} leap={leap} travelling={isPassing} />
      {isPassing && <Travelling of={advance} stopping={stopping} stopped={stopped} />}
      <div aria-live="polite">
        {isPassing && <p class="unseen">Time is passing…</p>}
        {error && <Failure error={error} />}
        {last && !isPassing && last.epoch === stateEpoch() && <WhatHappened {...last} />}
      </div>
      <Panel title="Ahead" aside={<span class="soft">If every payment and delivery goes as arranged</span>}>
        <Shown of={ahead}>
          {({ happened, more }) =>
            happened.length === 0 ? (
              <Empty run="layaway sessions create --order-reference A-1001 --total-amount 20000">
                Nothing is due. When you open a checkout, its deadline appears here:
              </Empty>
            ) : (
              <Forecast
                of={happened}
                now={now}
                busy={isPassing}
                further={more && steps < AHEAD_STEPS_MAX ? () => setSteps(Math.min(4 * steps, AHEAD_STEPS_MAX)) : null}
                more={more}
                travel={(at) => leap({ to: at })}
              />
            )
          }
        </Shown>
      </Panel>
    </Page>
  );
}

/** Moves the clock, and keeps what came of it. */
function useTravel() {
  const [last, setLast] = useState<Done | null>(null);
  const [error, setError] = useState<AskError | null>(null);
  const [travelling, setTravelling] = useState(false);
  const advance = useAdvance(travelling);
  const stoppedHere = useRef(false);
  const isLeft = useRef(false);
  useEffect(
    () => () => {
      isLeft.current = true;
    },
    [],
  );
  const isPassing = travelling || advance !== null;
  const began = useRef<Element | null>(null);
  // What began the journey loses the focus while it is disabled.
  useEffect(() => {
    if (isPassing) return;
    if (document.activeElement === document.body && began.current instanceof HTMLElement)
      began.current.focus({ preventScroll: true });
    began.current = null;
  }, [isPassing]);

  /** @throws AskError if a field of `way` is invalid, so that the form shows the message there. */
  const travel = async (way: Journey) => {
    if (travelling) return;
    began.current = document.activeElement;
    setTravelling(true);
    setError(null);
    stoppedHere.current = false;
    const [askHere, tell] = [asker(), teller()];
    try {
      const advance = () => askHere(advanceClock, { body: way });
      const result = await (way.dry_run ? advance() : undoableTravel(advance));
      setLast({ way, result, epoch: stateEpoch() });
      refresh();
    } catch (thrown) {
      const error = askErrorOf(thrown);
      // The answer to the stop has more details.
      if ((stoppedHere.current || isLeft.current) && error.status === 409) return;
      if (isLeft.current) return tell(error.message, 'bad');
      if (Object.keys(error.errors).some((name) => name in way)) throw error;
      setError(error);
    } finally {
      setTravelling(false);
    }
  };
  /** For buttons, which have no field for a message. */
  const leap = (way: Journey) => void travel(way).catch(setError);
  const stopping = () => {
    stoppedHere.current = true;
  };
  const stopped = (result: AdvanceProgress) => setLast({ way: null, result, epoch: stateEpoch() });

  return { travel, leap, advance, isPassing, error, last, stopping, stopped };
}

function Advance({
  travel,
  leap,
  travelling,
}: {
  travel: (way: Journey) => Promise<void>;
  leap: (way: Journey) => void;
  travelling: boolean;
}) {
  const { clock, now } = useContext(Here);
  const [dry, setDry] = useState(false);
  const wished = (way: Journey) => (dry ? { ...way, dry_run: true } : way);
  const go = (way: Journey) => travel(wished(way));
  return (
    <Panel
      title="Move forward"
      aside={
        <label class="check">
          <input type="checkbox" checked={dry} onChange={(event) => setDry(event.currentTarget.checked)} /> Only show
          what would happen
        </label>
      }
    >
      <div class="steps">
        <button
          type="button"
          class="strong"
          disabled={travelling || !clock.next_due}
          onClick={() => leap(wished({ next: true }))}
        >
          Next due event
        </button>
        {STEPS.map((step) => (
          <button key={step} type="button" disabled={travelling} onClick={() => leap(wished({ by: step }))}>
            +{step}
          </button>
        ))}
      </div>
      <div class="forms">
        <Way
          label="By a duration"
          name="by"
          hint="36h, 30d, 2w, 3mo or P1M"
          placeholder="14d"
          busy={travelling}
          set={(by) => go({ by })}
        />
        <Way
          label="To an instant"
          name="to"
          hint="UTC, later than now"
          verb="Go there"
          type="datetime-local"
          step="1"
          // A new value empties what is typed in part, so it changes once a day.
          min={`${isoOf(now).slice(0, 10)}T00:00:00`}
          busy={travelling}
          set={(to) => go({ to: `${to}${to.length === 16 ? ':00' : ''}Z` })}
        />
        <Way
          label="Until a condition holds"
          name="until"
          hint={CONDITIONS.map((condition) => (
            <Fragment key={condition}>
              <span class="unbroken">{condition}</span>{' '}
            </Fragment>
          ))}
          placeholder="LAY-…#2=past_due"
          busy={travelling}
          set={(until) => go({ until })}
        />
      </div>
    </Panel>
  );
}

interface WayProps {
  label: string;
  name: string;
  hint: ComponentChildren;
  verb?: string;
  busy: boolean;
  set: (value: string) => Promise<void>;
  placeholder?: string;
  type?: 'datetime-local';
  step?: string;
  min?: string;
}

/** One form that moves the clock. */
function Way({ label, name, hint, verb = 'Advance', busy, set, ...input }: WayProps) {
  const [value, setValue] = useState('');
  return (
    <Fields>
      {({ refuse, clearAll }) => (
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            set(value.trim()).then(clearAll, refuse);
          }}
        >
          <Field label={label} name={name} hint={hint}>
            {(id, hintId) => (
              <WayInput
                {...input}
                id={id}
                aria-describedby={hintId}
                value={value}
                onInput={(event) => setValue(event.currentTarget.value)}
                button={
                  <button type="submit" disabled={busy}>
                    {verb}
                  </button>
                }
              />
            )}
          </Field>
        </form>
      )}
    </Fields>
  );
}

function WayInput({ button, ...input }: InputHTMLAttributes & { button: ComponentChildren }) {
  return (
    <div class="with-button">
      <input {...input} required spellcheck={false} autocapitalize="off" />
      {button}
    </div>
  );
}

function WhatHappened({ way, result }: Done) {
  const { now, happened_count: count, happened_by_type: byType } = result;
  const dry = way ? way.dry_run : result.dry_run;
  return (
    <Panel
      testId="happened"
      title={`${dry ? 'What would happen' : 'What happened'}${way ? '' : ' until the stop'}`}
      flush
      aside={way && <CopyAdvance way={way} />}
    >
      <p class="note">
        {dry && way ? `By ${momentOf(now)}` : `It is ${momentOf(now)}`}:{' '}
        {count === 0 ? 'nothing' : plural(count, 'event')}
        {way && count > LISTED && `, the first ${LISTED} of them listed`}.
        {!way && !dry && ' Anything still due at this instant happens first when time passes again.'}
      </p>
      {count > 0 && <TalliedTypes of={byType} linked={!dry} />}
      {way && count > 0 && (
        <Happenings of={result.happened.slice(0, LISTED).map(lineOf)} label="What happened" relative={false} />
      )}
    </Panel>
  );
}

function CopyAdvance({ way }: { way: Journey }) {
  const { dry_run: _dry, ...rest } = way;
  return <CopyAs name="this advance" curl={callOf(advanceClock, { body: way })} step={stepOf('advance', rest)} />;
}
