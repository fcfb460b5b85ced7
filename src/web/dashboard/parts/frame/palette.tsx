import { useContext, useEffect, useId, useState } from 'preact/hooks';
import { browseAccounts, browseSearch, findId } from '../../../../operations/browse.ts';
import type { AccountLine, Found, SearchHit } from '../../../../operations/wire.ts';
import { askUntil } from '../../ask.ts';
import { go, hrefOf } from '../../route.ts';
import { spaced } from '../../words.ts';
import { Here, nameOf } from '../here.ts';
import { useModal } from '../levers/levers.tsx';
import { pageOf, shortened, VIEW_OF } from '../link-to.tsx';
import { Badge } from '../ui.tsx';
import { leadTo } from './lead.ts';
import { setTheme, THEMES } from './theme.tsx';
import { LEVERS, VIEWS } from './views.ts';

/** A search starts after this pause in typing. */
const PAUSE_MS = 150;
/** A reference, or a prefix and what was drawn. */
const ID = /^(?:LAY-|[a-z]{2,3}_(?:test_|live_)?)[0-9A-Za-z]{10,}$/;

interface Choice {
  readonly key: string;
  readonly title: string;
  /** Other words that find it. */
  readonly also?: string | undefined;
  readonly note?: string;
  readonly status?: string | null;
  /** An id to show in its short form. */
  readonly id?: string;
  choose(): void;
}

interface Group {
  readonly name: string;
  readonly choices: readonly Choice[];
}

const GROUPS: readonly (readonly [kind: SearchHit['kind'], name: string])[] = [
  ['contract', 'Contracts'],
  ['session', 'Sessions'],
  ['event', 'Events'],
  ['delivery', 'Deliveries'],
  ['email', 'Emails'],
];

/** Whether the words contain every typed one. */
const fits = (words: string, text: string) =>
  text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => words.toLowerCase().includes(word));

interface Answer {
  readonly text: string;
  readonly hits: readonly SearchHit[];
  readonly accounts: readonly AccountLine[];
  readonly more: boolean;
  readonly exact: Found | null;
  readonly failed: boolean;
}

/** Search results of this account, accounts that match, and the owner of an exact id in any account. */
function useAnswer(text: string): Answer | null {
  const [answer, setAnswer] = useState<Answer | null>(null);
  useEffect(() => {
    if (text === '') return setAnswer(null);
    const abort = new AbortController();
    const ask = async () => {
      const [found, accounts, exact] = await Promise.all([
        askUntil(abort.signal, browseSearch, { query: { text } }).catch(() => null),
        askUntil(abort.signal, browseAccounts, { query: { search: text } }).catch(() => null),
        ID.test(text) ? askUntil(abort.signal, findId, { params: { id: text } }).catch(() => null) : null,
      ]);
      if (abort.signal.aborted) return;
      setAnswer({
        text,
        hits: found?.data ?? [],
        accounts: accounts?.data ?? [],
        more: found?.meta.more || accounts?.meta.more || false,
        exact: exact?.data ?? null,
        failed: found === null || accounts === null,
      });
    };
    const timer = setTimeout(ask, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text]);
  return answer?.text === text ? answer : null;
}

function useGroups(text: string, answer: Answer | null, help: () => void): Group[] {
  const { account, href } = useContext(Here);
  const to = (address: string) => () => go(address);
  const choices = (name: string, of: readonly Choice[]): Group => ({
    name,
    choices: of.filter(({ title, also = '' }) => fits(`${title} ${also}`, text)),
  });
  const here: Group[] = [
    choices(
      'Views',
      VIEWS.map(([view, label]) => ({ key: `view ${view}`, title: label, choose: to(href(view)) })),
    ),
    choices('Levers', [
      ...LEVERS.filter(({ at }) => at !== (account.clock.mode === 'frozen' ? 'Freeze' : 'Resume')).map(
        ({ title, also, view, at }) => ({
          key: `lever ${title}`,
          title,
          also,
          choose() {
            go(href(view));
            leadTo(at);
          },
        }),
      ),
      ...THEMES.map((theme) => ({
        key: `theme ${theme}`,
        title: `Use the ${theme} theme`,
        choose: () => setTheme(theme),
      })),
      { key: 'shortcuts', title: 'Show keyboard shortcuts', choose: help },
    ]),
  ];
  if (text === '') return here;
  const others = (answer?.accounts ?? [])
    .filter(({ client_id }) => client_id !== account.client_id)
    .map((each) => ({
      key: `account ${each.client_id}`,
      title: nameOf(each),
      note: 'another account',
      choose: to(hrefOf(each.client_id)),
    }));
  const hits = GROUPS.map(([kind, name]) => ({
    name,
    choices: (answer?.hits ?? [])
      .filter((hit) => hit.kind === kind)
      .map(({ id, title, note, status }) => ({
        key: id,
        title,
        note,
        status,
        id,
        choose: to(href(VIEW_OF[kind], id)),
      })),
  }));
  const { exact } = answer ?? { exact: null };
  const isListed = answer?.hits.some(({ id }) => id === text) || others.some(({ key }) => key === `account ${text}`);
  const ofId =
    exact && !isListed
      ? [
          {
            key: 'exact',
            title: text,
            note: exact.client_id === account.client_id ? exact.kind : `${exact.kind} of another account`,
            choose: to(pageOf(exact, text)),
          },
        ]
      : [];
  return [...here, { name: 'This id', choices: ofId }, ...hits, { name: 'Accounts', choices: others }].filter(
    (group) => group.choices.length > 0,
  );
}

/** Typed as object, because the type of an input with this role requires a `list`. */
const COMBOBOX: object = { role: 'combobox', 'aria-expanded': 'true' };

/** A copied URL is searched for the last id in it, and an installment is found with its contract. */
function wantedIn(typed: string): string {
  const text = typed.trim();
  const [, path = ''] = /^https?:\/\/[^/]+([^?#]*)/.exec(text) ?? [];
  return path.split('/').findLast((segment) => ID.test(segment)) ?? text.replace(/^(LAY-\w+)#\d+$/i, '$1');
}

function resultOf(text: string, answer: ReturnType<typeof useAnswer>, count: number): string {
  if (answer?.failed) return 'The simulator did not answer. Only views and levers were searched.';
  if (text === '') return '↑ ↓ to choose, Enter to open, Esc to close.';
  if (count === 0) return 'Nothing matches.';
  return answer?.more ? 'There are more. Keep typing to narrow them down.' : `${count} found.`;
}

/** One search for views, levers and everything in the account. */
export function Palette({ close, help }: { close: () => void; help: () => void }) {
  const [typed, setTyped] = useState('');
  const text = wantedIn(typed);
  const answer = useAnswer(text);
  const groups = useGroups(text, answer, help);
  const [chosen, choose] = useState(0);
  const [isEager, setEager] = useState(false);
  const modal = useModal(close);
  const id = useId();
  const all = groups.flatMap(({ choices }) => choices);
  const current = all[Math.min(chosen, all.length - 1)];
  const idOf = (choice: Choice) => `${id}-${all.indexOf(choice)}`;
  const isWaiting = text !== '' && answer === null;
  const take = (choice: Choice | undefined) => {
    if (!choice) return;
    close();
    choice.choose();
  };
  // Enter was pressed before the answer was there.
  useEffect(() => {
    if (!isEager || isWaiting) return;
    setEager(false);
    take(current);
  });
  useEffect(() => {
    modal.ref.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [current?.key]);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && all.length > 0) {
      event.preventDefault();
      choose((Math.min(chosen, all.length - 1) + step + all.length) % all.length);
    }
    if (event.key === 'Enter' && !event.isComposing) {
      event.preventDefault();
      if (isWaiting && all.length === 0) setEager(true);
      else take(current);
    }
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it too
    <dialog
      {...modal}
      class="palette"
      aria-label="Search"
      onClick={(event) => event.target === modal.ref.current && close()}
    >
      <input
        {...COMBOBOX}
        aria-label="Search everything"
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={current && idOf(current)}
        placeholder="A name, an email, an order, an id, a view, a lever"
        value={typed}
        maxLength={200}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        onKeyDown={onKeyDown}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          choose(0);
          setEager(false);
        }}
      />
      <div class="found" id={`${id}-list`} role="listbox" aria-label="Found" tabIndex={-1}>
        {groups.map(({ name, choices }) => (
          // biome-ignore lint/a11y/useSemanticElements: a list box has groups
          <div key={name} role="group" aria-label={name}>
            <p class="group" aria-hidden="true">
              {name}
            </p>
            {choices.map((choice) => (
              <div
                key={choice.key}
                id={idOf(choice)}
                role="option"
                tabIndex={-1}
                aria-selected={choice === current}
                class="option"
                onClick={() => take(choice)}
                onKeyDown={onKeyDown}
              >
                <bdi class="option-title">{choice.title}</bdi>
                {choice.status && <Badge of={choice.status}>{spaced(choice.status)}</Badge>}
                {choice.note && <bdi class="soft">{choice.note}</bdi>}
                {choice.id && <code class="soft">{shortened(choice.id)}</code>}
              </div>
            ))}
          </div>
        ))}
      </div>
      <p class="soft palette-foot" role="status">
        {isWaiting ? 'Searching…' : resultOf(text, answer, all.length)}
      </p>
    </dialog>
  );
}
