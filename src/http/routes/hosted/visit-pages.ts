import type { CardErrors } from '../../../domain/card.ts';
import type { Contract } from '../../../domain/contract.ts';
import type { HttpContext } from '../../context.ts';
import { detailsPage } from '../../pages/details.ts';
import { completedPage, endedPage, type Receipt } from '../../pages/ended.ts';
import type { Page } from '../../pages/layout.ts';
import { type EmailEntered, paymentPage } from '../../pages/payment.ts';
import type { Visit } from '../../pages/visit.ts';

/** What a visit shows, and the contract behind it. */
export function createVisitPages({ store }: Pick<HttpContext, 'store'>) {
  /** The page for the current state of the session. */
  function pageOf(visit: Visit): Page {
    if (visit.status === 'pending') return detailsPage(visit, null);
    if (visit.status === 'decision_made') return payment(visit, {});
    if (visit.status === 'completed') return completedPage(visit, receiptOf(visit));
    return endedPage(visit, visit.status);
  }

  function payment(visit: Visit, errors: CardErrors, entered: EmailEntered | null = null): Page {
    const contract = contractOf(visit);
    const attempts = store.of(visit.account).attempts.list(contract);
    return paymentPage(visit, contract, { declined: attempts.length > 0, errors, entered });
  }

  function receiptOf(visit: Visit): Receipt {
    const contract = contractOf(visit);
    const attempts = store.of(visit.account).attempts.list(contract);
    const landed = attempts.find(({ sequence, outcome }) => sequence === 1 && outcome === 'pay');
    if (!landed) throw new Error(`Session ${visit.session.token} is completed without a payment.`);
    return { contract, installments: installmentsOf(visit, contract), payment: landed };
  }

  const installmentsOf = ({ account }: Visit, contract: Contract) => store.of(account).installments.list(contract);

  function contractOf({ session, account }: Visit): Contract {
    const contract = store.of(account).contracts.ofSession(session);
    if (!contract) throw new Error(`Session ${session.token} was accepted without a contract.`);
    return contract;
  }

  return { pageOf, payment, installmentsOf, contractOf };
}
