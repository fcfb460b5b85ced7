import { given } from '../../domain/given.ts';
import type { SessionStatus } from '../../domain/session.ts';
import { EXAMPLE_URLS } from '../../operations/schemas.ts';
import * as operations from '../../operations/sessions.ts';
import { isText, refuseNonObject, refuseWrong, TEXT } from '../../options.ts';
import { asker, type Client, type Connection, dataOf } from '../client.ts';
import type { ListOptions, Outcome, SessionCreate } from '../wire.ts';
import { WAITS, type Waits, waitQuery } from './waits.ts';

export interface Customer {
  readonly customer_name?: string;
  readonly customer_email?: string;
}

type NewSession = Partial<SessionCreate> & Pick<SessionCreate, 'order_reference' | 'total_amount'>;

/** An undefined URL counts as left out. */
const withUrls = (input: NewSession) => ({ ...EXAMPLE_URLS, ...(given({ ...input }) as NewSession) });

export function sessionLevers(connection: Connection, v1: Client) {
  const ask = asker(connection);
  return {
    /** Opens a session. The two URLs default to pages on example.com. */
    create: async (input: NewSession, options: { readonly idempotencyKey?: string } = {}) => {
      refuseNonObject(input, 'sessions.create');
      return v1.createSession(withUrls(input), options);
    },
    get: v1.getSession,
    list: (query: ListOptions & { readonly status?: SessionStatus; readonly order_reference?: string } = {}) =>
      ask(operations.listSessions, { query }).then(dataOf),
    /** A dashboard preview: its contract never appears under `/v1`. */
    preview: async (input: NewSession) => {
      refuseNonObject(input, 'sessions.preview');
      return ask(operations.previewSession, { body: { ...withUrls(input), preview: true } }).then(dataOf);
    },
    /** Accepts the plan as the customer. `customer_email` defaults to that of the session. */
    accept: async (id: string, options: Customer & Required<Pick<Customer, 'customer_name'>> & Waits) => {
      refuseNonObject(options, 'sessions.accept');
      const { wait, ...body } = options;
      refuseWrong({ wait }, WAITS, 'sessions.accept');
      return ask(operations.acceptPlan, { params: { id }, query: waitQuery(wait), body }).then(dataOf);
    },
    /** Pays the Cart Capture as the customer; `fail` declines it. */
    pay: async (id: string, how: Outcome | (Waits & { readonly outcome?: Outcome }) = 'pay') => {
      const options = isText(how) ? { outcome: how } : how;
      refuseWrong(options, { ...WAITS, outcome: TEXT }, 'sessions.pay');
      const { wait, outcome = 'pay' } = options;
      return ask(operations.payCartCapture, { params: { id }, query: waitQuery(wait), body: { outcome } }).then(dataOf);
    },
    /** Accepts the plan, unless it is accepted already, and pays. */
    complete: async (id: string, options: Customer & Waits & { readonly outcome?: Outcome } = {}) => {
      refuseNonObject(options, 'sessions.complete');
      const { wait, ...body } = options;
      refuseWrong({ wait }, WAITS, 'sessions.complete');
      return ask(operations.completeCheckout, { params: { id }, query: waitQuery(wait), body }).then(dataOf);
    },
    cancel: async (id: string, options: Waits = {}) => {
      refuseWrong(options, WAITS, 'sessions.cancel');
      return ask(operations.cancelCheckout, { params: { id }, query: waitQuery(options.wait) }).then(dataOf);
    },
  };
}
