import type { Cause } from '../domain/cause.ts';
import type { Contract, PaymentAttempt } from '../domain/contract.ts';
import type { Installment } from '../domain/installment.ts';
import type { Session } from '../domain/session.ts';
import type { Endpoint } from '../domain/webhook.ts';
import type { Store } from '../store/store.ts';
import type { Tx } from './world.ts';

/** The tables that a step of time uses: the store's, or copies for a forecast. */
export interface StepTables {
  readonly sessions: {
    get(id: number): Session;
    setStatus(id: number, status: Session['status']): unknown;
  };
  readonly contracts: {
    get(id: number): Contract;
    setStatus: Store['contracts']['setStatus'];
    setOutcomes: Store['contracts']['setOutcomes'];
  };
  readonly installments: {
    get(contractId: number, sequence: number): Installment;
    list(contractId: number): readonly Installment[];
    update(installment: Installment): void;
    clearObligations(contractId: number): void;
  };
  readonly attempts: {
    nextId(): number;
    insert(id: number, contractId: number, attempt: PaymentAttempt, cause: Cause | null): unknown;
  };
  readonly events: { nextId(): number; insert: (...row: Parameters<Store['events']['insert']>) => unknown };
  readonly emails: { nextId(): number; insert: (...row: Parameters<Store['emails']['insert']>) => unknown };
  readonly deliveries: { nextId(): number; insert: Store['deliveries']['insert'] };
  readonly endpoints: { list(accountId: number): readonly Endpoint[] };
}

/** The context of a step of time. */
export interface StepTx extends Omit<Tx, 'store'> {
  readonly store: StepTables;
}
