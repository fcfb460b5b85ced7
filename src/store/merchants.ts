import type { MerchantProfile } from '../domain/assumptions.ts';
import type { Merchant } from '../domain/merchant.ts';
import type { Database } from './file/database.ts';

type Row = Omit<Merchant, 'createdAt'> & { created_at: number };

export function merchants(db: Database) {
  const byId = db.prepare<[number], Row>('SELECT * FROM merchants WHERE id = ?');
  const all = db.prepare<[], Row>('SELECT * FROM merchants ORDER BY id DESC');
  const last = db.prepare<[], number | null>('SELECT max(id) FROM merchants').pluck();
  const insert = db.prepare(
    `INSERT INTO merchants (id, token, legal_name, dba, state, email, created_at)
     VALUES (@id, @token, @legal_name, @dba, @state, @email, @createdAt)`,
  );
  const update = db.prepare(
    'UPDATE merchants SET legal_name = @legal_name, dba = @dba, state = @state, email = @email WHERE id = @id',
  );

  return {
    nextId: () => (last.get() ?? 0) + 1,
    insert: (merchant: Merchant) => insert.run(merchant),
    /** Call `accounts.setProfile` instead, because accounts are cached with their merchant. */
    setProfile: (id: number, { legal_name, dba, state, email }: MerchantProfile) =>
      update.run({ id, legal_name, dba, state, email }),
    get: (id: number) => toMerchant(byId.get(id) as Row),
    list: () => all.all().map(toMerchant),
  };
}

const toMerchant = ({ created_at, ...row }: Row): Merchant => ({ ...row, createdAt: created_at });
