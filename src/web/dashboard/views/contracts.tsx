import { CONTRACT_STATUSES } from '../../../domain/contract.ts';
import { browseContracts } from '../../../operations/browse.ts';
import type { Contract } from '../../../operations/wire.ts';
import { Id } from '../parts/link-to.tsx';
import { TableView } from '../parts/table-view.tsx';
import { Badge, Clip, Empty, Moment } from '../parts/ui.tsx';
import { money } from '../words.ts';

export function ContractsView({ query }: { query: URLSearchParams }) {
  return (
    <TableView
      query={query}
      title="Contracts"
      lead="Agreements that customers accepted, newest first."
      operation={browseContracts}
      statuses={CONTRACT_STATUSES}
      searched={['reference', 'order', 'name', 'e-mail']}
      heads={['Reference', 'Status', 'Customer', 'Order', ['Paid', 'figure'], ['Of', 'figure'], 'Schedule', 'Since']}
      row={(contract) => <Row key={contract.reference} of={contract} />}
      empty={
        <Empty run="layaway sessions complete <id>">
          No customer has accepted a plan yet. Open the checkout of a session and accept it, or run:
        </Empty>
      }
    />
  );
}

function Row({ of: contract }: { of: Contract }) {
  return (
    <tr>
      <td>
        <Id of={contract.reference} />
      </td>
      <td>
        <Badge of={contract.status} />
      </td>
      <td class="wide">
        <Clip>{contract.customer_name}</Clip>
        <span class="soft">
          <Clip>{contract.customer_email}</Clip>
        </span>
      </td>
      <td>
        <Clip>{contract.order_reference ?? ''}</Clip>
      </td>
      <td class="figure">{money(contract.paid_amount)}</td>
      <td class="figure" data-head="of">
        {money(contract.customer_total)}
      </td>
      <td>
        <Beads of={contract} />
      </td>
      <td class="when">
        <Moment at={contract.created_at} />
      </td>
    </tr>
  );
}

/** The schedule at a glance. */
function Beads({ of: { installments } }: { of: Contract }) {
  const paid = installments.filter(({ status }) => status === 'paid').length;
  return (
    <span class="beads" role="img" aria-label={`${paid} of ${installments.length} paid`}>
      {installments.map(({ sequence, status }) => (
        <span key={sequence} class={`bead ${status}`} />
      ))}
    </span>
  );
}
