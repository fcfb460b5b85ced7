import { useContext } from 'preact/hooks';
import { ask } from '../ask.ts';
import { stir, useRead } from '../live.ts';
import { curlOf } from '../parts/clip.ts';
import { Here } from '../parts/here.ts';
import { Id } from '../parts/link-to.tsx';
import { RelatedPanels } from '../parts/related.tsx';
import { say } from '../parts/toast.tsx';
import { Act, Badge, Copy, Facts, Json, Moment, Page, Panel, Shown } from '../parts/ui.tsx';
import type { CheckoutSession, Contract, Related } from '../wire.ts';
import { fromNow, money } from '../words.ts';

export function SessionView({ id }: { id: string }) {
  const read = useRead<Related>(`/_sim/browse/related/${encodeURIComponent(id)}`);
  return (
    <Shown of={read}>
      {(related) =>
        related.session ? <Loaded related={related} session={related.session} /> : <p>There is no session.</p>
      }
    </Shown>
  );
}

function Loaded({ related, session }: { related: Related; session: CheckoutSession }) {
  const { now } = useContext(Here);
  const { contract, preview } = related;
  const open = session.status === 'pending' || session.status === 'decision_made';
  return (
    <Page
      title={<span class="long-id">{session.id}</span>}
      lead={
        <>
          <Badge of={session.status} /> {money(session.total_amount)} for <bdi>{session.order_reference}</bdi>
          {preview && '; a preview, which no list shows'}
        </>
      }
      actions={<Copy text={curlOf('GET', `/v1/checkout-sessions/${session.id}`)}>Copy as curl</Copy>}
    >
      {open && <Steps session={session} />}
      <Panel title="Facts">
        <Facts
          of={[
            ['Contract', contract ? <Id of={contract.reference} /> : 'none yet'],
            ['Order', <bdi>{session.order_reference}</bdi>],
            ['Total', money(session.total_amount)],
            ['Down payment', `${money(session.down_payment_amount)} (${session.down_payment_percentage} %)`],
            ['Opened', <Moment at={session.created_at} />],
            [
              'Deadline',
              <>
                <Moment at={session.expires_at} />
                {session.status === 'pending' && `, ${fromNow(session.expires_at, now)}`}
              </>,
            ],
            [
              'Checkout page',
              <a href={pageOf(session)} target="_blank" rel="noopener">
                Open in a new tab
              </a>,
            ],
            ['Return URL', session.return_url],
            ['Cancel URL', session.cancel_url],
          ]}
        />
        {Object.keys(session.metadata).length > 0 && <Json value={session.metadata} label="Metadata" />}
      </Panel>
      <RelatedPanels of={related} />
    </Page>
  );
}

/** Under the address that this page came from, which may not be the one that the simulator calls itself. */
const pageOf = ({ id }: CheckoutSession) => `/checkout/${id}`;

/** What the customer would do on the checkout page. */
function Steps({ session: { id, status } }: { session: CheckoutSession }) {
  const path = `/_sim/sessions/${id}`;
  const step = (verb: string, body: object, told: (contract: Contract) => string) => async () => {
    const contract = await ask<Contract>(`${path}/${verb}`, { method: 'POST', body });
    say(told(contract));
    stir();
  };
  const customer = { customer_name: 'Ada Byron', customer_email: 'ada@example.com' };
  return (
    <Panel
      title="In the customer’s place"
      aside={
        <>
          <Copy text={curlOf('POST', `${path}/complete`, customer)}>Copy complete as curl</Copy>
          <Copy
            text={`- complete-checkout: { session: "\${order.id}", customer_name: ${customer.customer_name}, customer_email: ${customer.customer_email} }`}
          >
            Copy as scenario step
          </Copy>
        </>
      }
    >
      <div class="actions start">
        <Act kind="strong" does={step('complete', {}, ({ reference }) => `${reference} is active.`)}>
          Complete checkout
        </Act>
        {status === 'pending' && (
          <Act does={step('accept', customer, ({ reference }) => `${reference} waits for its first payment.`)}>
            Accept the plan
          </Act>
        )}
        {status === 'decision_made' && (
          <Act does={step('pay', { outcome: 'fail' }, () => 'The payment was declined; the customer may try again.')}>
            Decline the payment
          </Act>
        )}
        <Act
          kind="danger"
          does={step('cancel', {}, () => 'The customer backed out.')}
          confirm="The session ends, and a plan that was accepted but not paid ends with it."
        >
          Back out
        </Act>
      </div>
    </Panel>
  );
}
