import { useContext, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { go } from '../../route.ts';
import { Here } from '../here.ts';
import { Dialog } from '../levers/levers.tsx';
import { undoButton } from '../levers/undo.tsx';
import { newRowsButton } from '../lists/held.tsx';
import { keep, recall } from '../stored.ts';
import { Palette } from './palette.tsx';
import { ThemeChoice } from './theme.tsx';
import { VIEWS } from './views.ts';

/** How long `g` waits for the key of a view. */
const SECOND_KEY_MS = 1_500;
const STORED = 'layaway-single-keys';
const areOn = () => recall(STORED) !== 'off';

const isMac = /^Mac|^iP/.test(navigator.platform);
const SEARCH_KEYS = isMac ? '⌘K' : 'Ctrl K';

/** Keys typed into a field are text, not shortcuts. */
const isTyping = ({ target }: Event) =>
  target instanceof HTMLElement && (target.matches('input, select, textarea') || target.isContentEditable);

/** The search button, and the keyboard shortcuts. */
export function Shortcuts() {
  const { href } = useContext(Here);
  const [open, show] = useState<'search' | 'help' | null>(null);
  const close = () => show(null);
  // Going back leaves what the dialog was opened over.
  useEffect(() => {
    addEventListener('popstate', close);
    return () => removeEventListener('popstate', close);
  }, []);
  const afterG = useRef(0);
  // Before the first paint, so that shortcuts work as soon as the page is visible.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey } = event;
      if (event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]')) return;
      if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k') {
        event.preventDefault();
        return show('search');
      }
      if (ctrlKey || metaKey || altKey || isTyping(event) || !areOn()) return;
      const isSecond = event.timeStamp < afterG.current;
      afterG.current = 0;
      const view = isSecond ? VIEWS.find(([, , each]) => each === key) : undefined;
      const work = view ? () => go(href(view[0])) : KEYS[key];
      if (!work) return;
      event.preventDefault();
      work(event);
    };
    const KEYS: Readonly<Record<string, (event: KeyboardEvent) => void>> = {
      '/': () => show('search'),
      '?': () => show('help'),
      g: ({ timeStamp }) => {
        afterG.current = timeStamp + SECOND_KEY_MS;
      },
      n: () => newRowsButton()?.focus(),
      u: () => undoButton()?.focus(),
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [href]);
  return (
    <>
      <search>
        <button
          type="button"
          class="search-button"
          aria-haspopup="dialog"
          aria-keyshortcuts="Control+K Meta+K /"
          onClick={() => show('search')}
        >
          Search <kbd>{SEARCH_KEYS}</kbd>
        </button>
      </search>
      {open === 'search' && <Palette close={close} help={() => show('help')} />}
      {open === 'help' && <Help close={close} />}
    </>
  );
}

const KEYS_OF: readonly (readonly [keys: readonly string[], what: string])[] = [
  [[SEARCH_KEYS, '/'], 'Search'],
  [['?'], 'Show these shortcuts'],
  [['n'], 'Go to the button that shows new rows'],
  [['u'], 'Go to Undo, after a clock move, a restore or a reset'],
  ...VIEWS.map(([, label, key]) => [[`g ${key}`], label] as const),
];

function Help({ close }: { close: () => void }) {
  const [isOn, setOn] = useState(areOn);
  return (
    <Dialog title="Keyboard shortcuts" close={close} isLong>
      <dl class="keys">
        {KEYS_OF.map(([keys, what]) => (
          <div key={what}>
            <dt>
              {keys.map((each) => (
                <kbd key={each}>{each}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <div class="choices">
        <label class="check">
          <input
            type="checkbox"
            checked={isOn}
            onChange={(event) => {
              keep(STORED, event.currentTarget.checked ? null : 'off');
              setOn(event.currentTarget.checked);
            }}
          />{' '}
          Use single-key shortcuts
        </label>
        <ThemeChoice />
      </div>
      <div class="actions">
        <button type="button" class="strong" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

/** The end of the menu; on a phone, the end of the page. */
export function Foot() {
  const { version } = useContext(Here);
  return (
    <div class="foot">
      <ThemeChoice />
      <p class="soft">
        Version {version}. Press <kbd>?</kbd> for shortcuts.
      </p>
    </div>
  );
}
