import type { Account } from '../domain/merchant.ts';
import type { accounts } from './accounts.ts';
import type { contracts } from './contracts.ts';
import type { deliveries } from './deliveries.ts';
import type { emails } from './emails.ts';
import type { events } from './events.ts';
import type { Browse } from './search/browse.ts';
import type { sessions } from './sessions.ts';

interface Tables {
  readonly accounts: ReturnType<typeof accounts>;
  readonly sessions: ReturnType<typeof sessions>;
  readonly contracts: ReturnType<typeof contracts>;
  readonly events: ReturnType<typeof events>;
  readonly deliveries: ReturnType<typeof deliveries>;
  readonly emails: ReturnType<typeof emails>;
}

/** Finds the account that a public id belongs to, among all accounts; null if nothing has that id. It reads no rows. */
export function owners({ accounts, sessions, contracts, events, deliveries, emails }: Tables, browse: () => Browse) {
  const owner = (row: { readonly accountId: number } | null) => row && accounts.get(row.accountId);

  function paidBy(reference: string): number | null {
    const contract = browse().contractOfPayment(reference);
    return contract === null ? null : contracts.get(contract).accountId;
  }

  return {
    session: (token: string): Account | null => owner(sessions.find(token)),
    id(id: string): Account | null {
      const row = sessions.find(id) ?? contracts.find(id) ?? events.find(id) ?? deliveries.find(id) ?? emails.find(id);
      const accountId = row?.accountId ?? paidBy(id) ?? browse().accountOfEndpoint(id);
      return accountId === null ? accounts.find(id) : accounts.get(accountId);
    },
  };
}
