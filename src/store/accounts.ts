import type { AccountSettings, MerchantProfile } from '../domain/assumptions.ts';
import { type Account, type Clock, type Merchant, withDefaults } from '../domain/merchant.ts';
import type { Mode } from '../domain/mode.ts';
import { once } from '../domain/once.ts';
import type { Database } from './file/database.ts';
import type { merchants } from './merchants.ts';
import { remembered } from './remembered.ts';

interface Row {
  id: number;
  merchant_id: number;
  mode: Mode;
  client_id: string;
  webhook_secret: string;
  clock_mode: 'running' | 'frozen';
  clock_ms: number;
  settings: string;
}

export interface NewAccount {
  readonly merchantId: number;
  readonly mode: Mode;
  readonly clientId: string;
  readonly webhookSecret: string;
  readonly clock: Clock;
  readonly overrides: Partial<AccountSettings>;
}

/** Accounts with their merchant and settings. Every request reads one, so they are cached. */
export function accounts(db: Database, merchantTable: ReturnType<typeof merchants>) {
  const byClientId = db.prepare<[string], Row>('SELECT * FROM accounts WHERE client_id = ?');
  const byId = db.prepare<[number], Row>('SELECT * FROM accounts WHERE id = ?');
  const byMerchant = db.prepare<[number, Mode], Row>('SELECT * FROM accounts WHERE merchant_id = ? AND mode = ?');
  const ids = db.prepare<[], number>('SELECT id FROM accounts ORDER BY id').pluck();
  const insert = db.prepare(
    `INSERT INTO accounts (merchant_id, mode, client_id, webhook_secret, clock_mode, clock_ms, settings)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const updateSettings = db.prepare('UPDATE accounts SET settings = ? WHERE id = ?');
  const updateClock = db.prepare('UPDATE accounts SET clock_mode = ?, clock_ms = ? WHERE id = ?');
  const selectClock = db.prepare<[number], Pick<Row, 'clock_mode' | 'clock_ms'>>(
    'SELECT clock_mode, clock_ms FROM accounts WHERE id = ?',
  );

  /** Prepared on first use, to keep the start fast. */
  const searched = once(() =>
    db.prepare<[], { id: number; text: string }>(
      `SELECT accounts.id, coalesce(dba, legal_name) || ' · ' || mode || ' ' || client_id AS text
       FROM accounts JOIN merchants ON merchants.id = merchant_id ORDER BY merchant_id DESC, accounts.id`,
    ),
  );

  const holdBack = once(() => db.prepare("UPDATE accounts SET clock_ms = clock_ms - ? WHERE clock_mode = 'running'"));

  const known = remembered<number, Account>();
  const idsByClient = remembered<string, number>();
  const clocks = remembered<number, Clock>();

  function remember(row: Row | undefined): Account | null {
    if (!row) return null;
    idsByClient.set(row.client_id, row.id);
    return known.set(row.id, toAccount(row, merchantTable.get(row.merchant_id)));
  }

  const get = (id: number) => known.get(id) ?? (remember(byId.get(id)) as Account);

  function find(clientId: string): Account | null {
    const id = idsByClient.get(clientId);
    return (id === undefined ? undefined : known.get(id)) ?? remember(byClientId.get(clientId));
  }

  return {
    insert: ({ merchantId, mode, clientId, webhookSecret, clock, overrides }: NewAccount): Account => {
      const [clockMode, ms] = fromClock(clock);
      const { lastInsertRowid } = insert.run(
        merchantId,
        mode,
        clientId,
        webhookSecret,
        clockMode,
        ms,
        JSON.stringify(overrides),
      );
      return remember(byId.get(Number(lastInsertRowid))) as Account;
    },
    find,
    /** Whether the account still exists: a reset or a restore can remove it. */
    isThere: ({ id, clientId }: Pick<Account, 'id' | 'clientId'>) => find(clientId)?.id === id,
    get,
    ofMerchant: (merchantId: number, mode: Mode) => remember(byMerchant.get(merchantId, mode)) as Account,
    ids: () => ids.all(),
    /** Accounts with every word in the name of the merchant, the mode or the client id; the newest merchant first. */
    search(text: string, limit: number): Account[] {
      // Not LIKE, which knows only the case of ASCII letters.
      const words = text.toLowerCase().split(/\s+/);
      const found = searched()
        .all()
        .filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)));
      return found.slice(0, limit).map(({ id }) => get(id));
    },
    setOverrides(id: number, overrides: Partial<AccountSettings>) {
      known.delete(id);
      updateSettings.run(JSON.stringify(overrides), id);
    },
    /** Sets the profile of a merchant, which both its accounts show. */
    setProfile(merchantId: number, profile: MerchantProfile) {
      known.clear();
      merchantTable.setProfile(merchantId, profile);
    },
    clock: (id: number): Clock => clocks.get(id) ?? clocks.set(id, toClock(selectClock.get(id) as Row)),
    setClock(id: number, clock: Clock) {
      clocks.delete(id);
      updateClock.run(...fromClock(clock), id);
    },
    /** Sets every running clock back by `ms`. */
    holdBack(ms: number) {
      clocks.clear();
      holdBack().run(ms);
    },
    forget() {
      known.clear();
      idsByClient.clear();
      clocks.clear();
    },
  };
}

function toAccount(row: Row, merchant: Merchant): Account {
  const overrides = JSON.parse(row.settings) as Partial<AccountSettings>;
  return {
    id: row.id,
    merchant,
    mode: row.mode,
    clientId: row.client_id,
    webhookSecret: row.webhook_secret,
    overrides,
    settings: withDefaults(overrides),
  };
}

const toClock = ({ clock_mode, clock_ms }: Pick<Row, 'clock_mode' | 'clock_ms'>): Clock =>
  clock_mode === 'frozen' ? { mode: 'frozen', at: clock_ms } : { mode: 'running', offsetMs: clock_ms };

const fromClock = (clock: Clock) =>
  clock.mode === 'frozen' ? (['frozen', clock.at] as const) : (['running', clock.offsetMs] as const);
