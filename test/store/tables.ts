import type { Contract } from '../../src/domain/contract.ts';
import { quote } from '../../src/domain/quote.ts';
import { schedule } from '../../src/domain/schedule.ts';
import type { Session } from '../../src/domain/session.ts';
import { accounts } from '../../src/store/accounts.ts';
import { contracts } from '../../src/store/contracts.ts';
import { type Database, openDatabase } from '../../src/store/file/database.ts';
import { installments } from '../../src/store/installments.ts';
import { merchants } from '../../src/store/merchants.ts';
import { sessions } from '../../src/store/sessions.ts';

export const NOW = Date.UTC(2026, 0, 1);

/** The tables of an opened database, with two accounts of one merchant: ids 1 and 2. */
export function openTables(file: string | null = null, db: Database = openDatabase(file)) {
  const merchantTable = merchants(db);
  const tables = {
    db,
    merchants: merchantTable,
    accounts: accounts(db, merchantTable),
    sessions: sessions(db),
    contracts: contracts(db),
    installments: installments(db),
  };
  const profile = { legal_name: 'Example Store LLC', dba: null, state: 'TX', email: 'merchant@example.com' };
  tables.merchants.insert({ id: 1, token: 'mer_1', createdAt: NOW, ...profile });
  for (const mode of ['sandbox', 'live'] as const) {
    tables.accounts.insert({
      merchantId: 1,
      mode,
      clientId: `client ${mode}`,
      webhookSecret: 'secret',
      clock: { mode: 'frozen', at: NOW },
      overrides: {},
    });
  }
  return { ...tables, addSession, addContract };

  function addSession(fields: Partial<Session> = {}): Session {
    const id = tables.sessions.nextId();
    const terms = {
      downPaymentPercentage: 20,
      reservationFeePercentage: 5,
      installmentCount: 4,
      installmentCadence: 'biweekly',
    } as const;
    const { totalCents, downPaymentCents, reservationFeeCents } = quote(12_345, terms);
    const session: Session = {
      id,
      token: `cs_${id}`,
      accountId: 1,
      status: 'pending',
      orderReference: `A-${id}`,
      totalCents,
      downPaymentCents,
      reservationFeeCents,
      terms,
      returnUrl: 'https://example.com/return',
      cancelUrl: 'https://example.com/cancel',
      customerEmail: null,
      customerState: 'TX',
      metadata: {},
      preview: false,
      byStore: false,
      expiresAt: NOW + 3_600_000,
      createdAt: NOW,
      ...fields,
    };
    tables.sessions.insert(session, null);
    return session;
  }

  /** A pending contract on a session of its own, with its schedule. */
  function addContract(fields: Partial<Contract> = {}): Contract {
    const session = addSession({
      accountId: fields.accountId ?? 1,
      preview: fields.preview ?? false,
      createdAt: fields.createdAt ?? NOW,
      expiresAt: (fields.createdAt ?? NOW) + 3_600_000,
    });
    const id = tables.contracts.nextId();
    const contract: Contract = {
      id,
      reference: `LAY-${id}`,
      accountId: session.accountId,
      sessionId: session.id,
      status: 'pending',
      orderReference: session.orderReference,
      customerName: 'Ada Byron',
      customerEmail: 'ada@example.com',
      customerState: 'TX',
      totalCents: session.totalCents,
      reservationFeeCents: session.reservationFeeCents,
      downPaymentCents: session.downPaymentCents,
      metadata: {},
      preview: session.preview,
      outcomes: [],
      startedAt: null,
      completedAt: null,
      defaultedAt: null,
      cancelledAt: null,
      createdAt: session.createdAt,
      ...fields,
    };
    tables.contracts.insert(contract, null);
    for (const capture of schedule(quote(session.totalCents, session.terms), 'biweekly', contract.createdAt)) {
      tables.installments.insert(id, contract.accountId, capture, capture.sequence === 1 ? 'due' : 'upcoming', null);
    }
    return contract;
  }
}
