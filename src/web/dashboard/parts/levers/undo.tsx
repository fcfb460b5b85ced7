import type { Undoable } from '../../../../domain/automatic-snapshot.ts';
import type { Advanced } from '../../../../operations/wire.ts';
import { deleteSnapshot, restoreSnapshot, saveAutomaticSnapshot } from '../../../../operations/workspace.ts';
import { AskError, ask, askedFor } from '../../ask.ts';
import { forgetAll, refresh, stateEpoch } from '../../live.ts';
import { shared } from '../../shared.ts';
import { momentOf } from '../../words.ts';
import { Act } from './levers.tsx';
import { About, Notice, say, Toasts } from './toast.tsx';

/** How long undo is offered, not counting the time it is hovered or focused. */
const OFFERED_MS = 60_000;

/** The last action, and the snapshot from before it. */
interface Offer {
  readonly snapshot: string;
  readonly done: string;
  readonly verb: 'Undo' | 'Redo';
  /** Where a clock moved; null for other actions. When another window replaces that state, there is no move to undo. */
  readonly moved: { readonly account: string; readonly epoch: number } | null;
}

const offer = shared<Offer | null>(null);
let hasToldOfNone = false;

const offerTo = (snapshot: string | null, done: string, verb: Offer['verb'], moved: Offer['moved'] = null) =>
  offer.set(snapshot === null ? null : { snapshot, done, verb, moved });

/** Saves an automatic snapshot and returns its name. Null if a clock move goes on without one. */
async function keep(before: Undoable): Promise<string | null> {
  try {
    const snapshot = await ask(saveAutomaticSnapshot, { body: { before } });
    if (snapshot === null && !hasToldOfNone) {
      hasToldOfNone = true;
      say('Clock moves cannot be undone here: the state is too large to save before each one.');
    }
    return snapshot?.name ?? null;
  } catch (error) {
    if (!(error instanceof AskError) || error.status === 401 || error.status === 0) throw error;
    if (before !== 'travel') {
      throw new AskError(error.status, `Nothing was changed, because it could not be undone: ${error.message}`);
    }
    say(`This clock move cannot be undone: ${error.message}`, 'bad');
    return null;
  }
}

/** Whether the action was refused before anything happened. A stopped clock move (409) did happen in part. */
export function changedNothing(error: unknown, before: Undoable): boolean {
  if (!(error instanceof AskError) || (before === 'travel' && error.status === 409)) return false;
  return error.status >= 400 && error.status < 500;
}

async function undoably<T>(before: Undoable, work: () => Promise<T>, done: (result: T) => string): Promise<T> {
  const moved = before === 'travel' ? { account: askedFor(), epoch: stateEpoch() } : null;
  const snapshot = await keep(before);
  try {
    const result = await work();
    offerTo(snapshot, done(result), 'Undo', moved);
    return result;
  } catch (error) {
    if (snapshot !== null && changedNothing(error, before)) {
      await ask(deleteSnapshot, { params: { name: snapshot } }).catch(() => undefined);
    } else offerTo(snapshot, 'That was not finished.', 'Undo', moved);
    throw error;
  }
}

export const undoableTravel = (work: () => Promise<Advanced>): Promise<Advanced> =>
  undoably('travel', work, ({ now }) => `It is ${momentOf(now)}.`);

export async function undoableChange(before: 'restore' | 'reset', work: () => Promise<unknown>, done: string) {
  await undoably(before, work, () => done);
  forgetAll();
  refresh();
}

async function undo({ snapshot, done, verb }: Offer) {
  // It replaces the state itself.
  offerTo(snapshot, done, verb);
  const next = await keep('undo');
  await ask(restoreSnapshot, { params: { name: snapshot } });
  offerTo(next, verb === 'Undo' ? 'Undone.' : 'Done again.', verb === 'Undo' ? 'Redo' : 'Undo');
  forgetAll();
  refresh();
}

/** The undo button, for a keyboard shortcut. */
export const undoButton = () => document.querySelector<HTMLElement>('.undo button');

function UndoBar() {
  const shown = offer.use();
  if (!shown) return null;
  const { done, verb, moved } = shown;
  if (moved && moved.epoch !== stateEpoch()) return null;
  return (
    <Notice class="toast undo" testId="undo" of={shown} lastsMs={OFFERED_MS} end={() => offer.set(null)}>
      <span>
        <About account={moved?.account ?? null} />
        {done} <span class="soft">{verb} restores the earlier state of every account.</span>
      </span>
      <Act kind="strong" does={() => undo(shown)}>
        {verb}
      </Act>
    </Notice>
  );
}

/** The latest messages, and the offer to undo. */
export const Notices = () => (
  <Toasts>
    <UndoBar />
  </Toasts>
);
