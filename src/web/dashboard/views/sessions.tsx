import { useContext, useState } from 'preact/hooks';
import { SESSION_STATUSES } from '../../../domain/session.ts';
import { browseSessions } from '../../../operations/browse.ts';
import { EXAMPLE_URLS } from '../../../operations/schemas.ts';
import { createSession } from '../../../operations/service.ts';
import { openSession, previewSession } from '../../../operations/sessions.ts';
import type { CheckoutSession } from '../../../operations/wire.ts';
import { ask } from '../ask.ts';
import { refresh } from '../live.ts';
import { OrderField, TextField, TotalField } from '../parts/fields.tsx';
import { Here } from '../parts/here.ts';
import { Act, CopyAs, Form, Lever, leverOf } from '../parts/levers/levers.tsx';
import { type Open, opener } from '../parts/levers/opener.ts';
import { callOf, stepOf } from '../parts/levers/snippets.ts';
import { Id } from '../parts/link-to.tsx';
import { TableView } from '../parts/lists/table-view.tsx';
import { Badge, Empty, Moment, Panel, Truncated } from '../parts/ui.tsx';
import { money, NONE, numberIn } from '../words.ts';

export function SessionsView({ query }: { query: URLSearchParams }) {
  return (
    <TableView
      query={query}
      title="Checkout sessions"
      lead="Sessions that the store opened, newest first."
      operation={browseSessions}
      one="session"
      keyOf={({ id }) => id}
      statuses={SESSION_STATUSES}
      searched={['id', 'order', 'email']}
      heads={['Session', 'Status', 'Order', ['Total', 'figure'], ['Down payment', 'figure'], 'Opened', 'Deadline']}
      row={(session) => <Row key={session.id} of={session} />}
      empty={
        <Empty run="layaway sessions create --order-reference A-1001 --total-amount 20000">
          The store has not opened a checkout yet. It does so with POST /v1/sessions, or run:
        </Empty>
      }
    >
      <NewSession />
    </TableView>
  );
}

function Row({ of: session }: { of: CheckoutSession }) {
  return (
    <tr>
      <td>
        <Id of={session.id} short />
      </td>
      <td>
        <Badge of={session.status} />
      </td>
      <td class="wide">
        <Truncated>{session.order_reference}</Truncated>
      </td>
      <td class="figure">{money(session.total_amount)}</td>
      <td class="figure" data-head="down">
        {money(session.down_payment_amount)}
      </td>
      <td class="when">
        <Moment at={session.created_at} />
      </td>
      <td class="when" data-head="deadline">
        {session.status === 'pending' ? <Moment at={session.expires_at} relative /> : NONE}
      </td>
    </tr>
  );
}

/** Opens a checkout in place of the store, or a preview as in the service's own dashboard (§4.5). */
function NewSession() {
  const { href } = useContext(Here);
  const [order, setOrder] = useState('NEW-1');
  const [cents, setCents] = useState('20000');
  const [email, setEmail] = useState('');
  const input = {
    order_reference: order.trim(),
    total_amount: numberIn(cents),
    ...(email.trim() === '' ? {} : { customer_email: email.trim() }),
  };
  const body = { ...input, ...EXAMPLE_URLS };
  const open = async () => {
    const show = opener();
    const { id } = await ask(openSession, { body });
    refresh();
    show(href('sessions', id), 'The session is open.');
  };
  const told = ({ id }: CheckoutSession, show: Open) => {
    show(
      href('sessions', id),
      'The checkout is open. It is a preview: it appears in no list, and creates no events or emails.',
    );
    return null;
  };
  return (
    <Panel
      title="New session"
      aside={
        <CopyAs
          name="a session of the store"
          curl={callOf(createSession, { body })}
          step={stepOf('create-session', input, 'order')}
        />
      }
    >
      <p class="hint">
        Opens a session as the store would. A preview is a checkout to look at: its contract appears in no list and
        under no key, and it creates no events or emails. The copied request or step opens a session of the store.
      </p>
      <Form>
        <OrderField value={order} set={setOrder} />
        <TotalField value={cents} set={setCents} />
        <TextField label="Customer’s email, if known" name="customer_email" type="email" value={email} set={setEmail} />
        <div class="actions">
          <Act kind="strong" submits does={open}>
            New session
          </Act>
          <Lever {...leverOf(previewSession, told, { body: { ...body, preview: true } })}>Open preview</Lever>
        </div>
      </Form>
    </Panel>
  );
}
