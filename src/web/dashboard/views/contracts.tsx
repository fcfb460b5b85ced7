import { useRead } from '../live.ts';
import { Id } from '../parts/link-to.tsx';
import { Filters, Pager, pathOf, totalOf } from '../parts/pages.tsx';
import { Badge, Empty, Moment, Page, Panel, Shown, Table } from '../parts/ui.tsx';
import type { Contract, PageMeta } from '../wire.ts';
import { money } from '../words.ts';

const STATUSES = ['pending', 'active', 'completed', 'cancelled', 'defaulted'];

interface Answer {
  readonly data: readonly Contract[];
  readonly meta: PageMeta;
}

export function ContractsView({ query }: { query: URLSearchParams }) {
  const read = useRead<Answer>(pathOf('/_sim/browse/contracts', query, ['status', 'search', 'page']), { whole: true });
  const narrowed = query.has('status') || query.has('search');
  return (
    <Page title="Contracts" lead="Agreements that customers accepted, newest first.">
      <Filters
        query={query}
        statuses={STATUSES}
        label="Reference, order, customer"
        total={read.data ? totalOf(read.data.meta) : ''}
      />
      <Panel title="Contracts" flush>
        <Shown of={read}>
          {({ data, meta }) =>
            data.length === 0 ? (
              <Nothing narrowed={narrowed} />
            ) : (
              <>
                <Table
                  label="Contracts"
                  heads={[
                    'Reference',
                    'Status',
                    'Customer',
                    'Order',
                    ['Paid', 'figure'],
                    ['Of', 'figure'],
                    'Schedule',
                    'Since',
                  ]}
                >
                  {data.map((contract) => (
                    <tr key={contract.reference}>
                      <td>
                        <Id of={contract.reference} />
                      </td>
                      <td>
                        <Badge of={contract.status} />
                      </td>
                      <td class="wide">
                        <bdi>{contract.customer_name}</bdi>
                        <span class="soft">{contract.customer_email}</span>
                      </td>
                      <td>
                        <bdi>{contract.order_reference}</bdi>
                      </td>
                      <td class="figure">{money(contract.paid_amount)}</td>
                      <td class="figure">{money(contract.customer_total)}</td>
                      <td>
                        <Beads of={contract} />
                      </td>
                      <td class="when">
                        <Moment at={contract.created_at} />
                      </td>
                    </tr>
                  ))}
                </Table>
                <Pager meta={meta} />
              </>
            )
          }
        </Shown>
      </Panel>
    </Page>
  );
}

function Nothing({ narrowed }: { narrowed: boolean }) {
  if (narrowed) return <Empty>Nothing matches. Search looks into reference, order, name and e-mail.</Empty>;
  return (
    <Empty run="layaway sessions complete <id>">
      No customer has accepted a plan yet. Open the checkout of a session and accept it, or run:
    </Empty>
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
