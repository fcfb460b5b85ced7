import { useRead } from '../live.ts';
import { Id } from '../parts/link-to.tsx';
import { Filters, Pager, pathOf, totalOf } from '../parts/pages.tsx';
import { Badge, Empty, Moment, Page, Panel, Shown, Table } from '../parts/ui.tsx';
import type { CheckoutSession, PageMeta } from '../wire.ts';
import { money } from '../words.ts';

const STATUSES = ['pending', 'decision_made', 'completed', 'cancelled', 'expired'];

interface Answer {
  readonly data: readonly CheckoutSession[];
  readonly meta: PageMeta;
}

export function SessionsView({ query }: { query: URLSearchParams }) {
  const read = useRead<Answer>(pathOf('/_sim/browse/sessions', query, ['status', 'search', 'page']), { whole: true });
  const narrowed = query.has('status') || query.has('search');
  return (
    <Page title="Checkout sessions" lead="What the store opened, newest first.">
      <Filters
        query={query}
        statuses={STATUSES}
        label="Id, order, e-mail"
        total={read.data ? totalOf(read.data.meta) : ''}
      />
      <Panel title="Sessions" flush>
        <Shown of={read}>
          {({ data, meta }) =>
            data.length === 0 ? (
              narrowed ? (
                <Empty>Nothing matches. Search looks into id, order and e-mail.</Empty>
              ) : (
                <Empty run="layaway sessions create --order-reference A-1001 --total-amount 20000">
                  The store has not opened a checkout yet. It does so with POST /v1/sessions, or run:
                </Empty>
              )
            ) : (
              <>
                <Table
                  label="Sessions"
                  heads={[
                    'Session',
                    'Status',
                    'Order',
                    ['Total', 'figure'],
                    ['Down payment', 'figure'],
                    'Opened',
                    'Deadline',
                  ]}
                >
                  {data.map((session) => (
                    <tr key={session.id}>
                      <td>
                        <Id of={session.id} short />
                      </td>
                      <td>
                        <Badge of={session.status} />
                      </td>
                      <td class="wide">
                        <bdi>{session.order_reference}</bdi>
                      </td>
                      <td class="figure">{money(session.total_amount)}</td>
                      <td class="figure">{money(session.down_payment_amount)}</td>
                      <td class="when">
                        <Moment at={session.created_at} />
                      </td>
                      <td class="when">
                        {session.status === 'pending' ? <Moment at={session.expires_at} relative /> : '–'}
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
