import { type Cause, readCause, UNLOGGED } from '../cause.ts';
import { settingNote } from '../setting-note.ts';
import { toldRequest } from './request.ts';
import { type ChainKind, FROM_START, LEVER, type Link, NOT_RECORDED, type Said, type Story } from './story.ts';

/** When an attempt out of turn was made, and its place among those of that millisecond. */
type Turn = readonly [sentAt: number, id: number];

/** The place of a link among those of the same instant: its step, its kind, and its turn. */
type Placed = Link & { readonly step: number; readonly rank: number; readonly turn: Turn };

const RANK: Record<ChainKind, number> = {
  request: 0,
  lever: 0,
  clock: 0,
  attempt: 1,
  transition: 2,
  event: 3,
  email: 4,
  delivery: 5,
};

/** Collects the links of a story. A step orders those of the same instant. */
export type Telling = ReturnType<typeof createTelling>;

export function createTelling(story: Story) {
  const links: Placed[] = [];
  const told = new Set<string>();

  function add(kind: ChainKind, at: number, step: number, said: Said, turn: Turn = [0, 0]) {
    links.push({
      sentAt: null,
      section: null,
      setting: null,
      id: null,
      ...said,
      at,
      kind,
      step,
      rank: RANK[kind],
      turn,
    });
  }

  const isTold = (id: string) => told.has(id);

  /** Whether this is told for the first time. */
  function isNew(id: string): boolean {
    if (isTold(id)) return false;
    told.add(id);
    return true;
  }

  /** The cause of a step, told once. */
  function lead(at: number, step: number, cause: Cause | null, otherwise: string, section: string) {
    const read = readCause(cause);
    if (read.kind === 'request' && read.number === UNLOGGED) {
      add('request', at, step, {
        what: `${otherwise}.`,
        because: 'A request did this. The server did not log requests then.',
        section,
      });
    } else if (read.kind === 'request') {
      if (!isNew(read.id)) return;
      add('request', at, step, { section, ...toldRequest(story.request(read.id), read.id, otherwise) });
    } else if (read.kind === 'lever') {
      if (!isNew(read.id)) return;
      const pulled = story.levers.find(({ id }) => id === read.id);
      add('lever', at, step, {
        what: `${LEVERS[read.operation] ?? 'A lever was used'} (${read.operation}).`,
        because: read.isOnPage ? ON_PAGE : LEVER,
        section,
        id: read.id,
        sentAt: pulled?.sentAt ?? null,
      });
    } else if (read.kind === 'clock') {
      add('clock', at, step, { what: `${otherwise}.`, because: 'It fell due on the account’s clock.', section });
    } else if (read.kind === 'start') {
      if (!isNew('start')) return;
      add('lever', at, step, { ...FROM_START, section });
    } else {
      add('request', at, step, {
        what: `${otherwise}. Its cause was not recorded.`,
        because: NOT_RECORDED,
        section,
      });
    }
  }

  return {
    story,
    add,
    isTold,
    isNew,
    lead,
    links: (): readonly Placed[] => links,
    /** In their order, with the settings that decided. */
    chain: (): Link[] =>
      links
        .toSorted((a, b) => a.at - b.at || a.step - b.step || a.rank - b.rank || inTurn(a.turn, b.turn))
        .map(({ step: _step, rank: _rank, turn: _turn, because, setting, ...link }) => ({
          ...link,
          because: setting ? `${because} ${settingNote(setting)}` : because,
          setting,
        })),
  };
}

const inTurn = (a: Turn, b: Turn) => a[0] - b[0] || a[1] - b[1];

const ON_PAGE = 'This was done on the checkout page.';

const LEVERS: Readonly<Record<string, string>> = {
  openSession: 'A checkout session was opened',
  previewSession: 'A preview was opened',
  acceptPlan: 'The customer accepted the plan',
  payCartCapture: 'The customer tried to pay the Cart Capture',
  completeCheckout: 'The customer went through the checkout',
  cancelCheckout: 'The customer backed out',
  createContract: 'A contract was made with its history',
  settleInstallment: 'The customer settled an overdue installment',
  endContract: 'The contract was cancelled',
  testWebhookEndpoint: 'A test event was sent',
  resendEvent: 'An event was sent again',
};
