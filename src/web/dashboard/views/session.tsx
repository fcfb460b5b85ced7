import { useContext } from 'preact/hooks';
import { getCheckoutSession } from '../../../operations/service.ts';
import { acceptPlan, cancelCheckout, completeCheckout, payCartCapture } from '../../../operations/sessions.ts';
import type { CheckoutSession, Related } from '../../../operations/wire.ts';
import { Here } from '../parts/here.ts';
import { CopyAs, Lever, leverOf } from '../parts/levers/levers.tsx';
import { callOf, ORDER, stepOf } from '../parts/levers/snippets.ts';
import { Id } from '../parts/link-to.tsx';
import { Explained } from '../parts/resources/explain.tsx';
import { noContract, type ReadRelated, RelatedPanels, useRelated } from '../parts/resources/related.tsx';
import { ShownOne } from '../parts/shown.tsx';
import { Badge, Facts, Json, Moment, Page, Panel } from '../parts/ui.tsx';
import { fromNow, money } from '../words.ts';

export function SessionView({ id }: { id: string }) {
  const read = useRelated(id);
  return (
    <ShownOne of={read} id={id}>
      {(related) =>
        related.session ? (
          <Loaded read={read} related={related} session={related.session} />
        ) : (
          <p>This id does not belong to a session.</p>
        )
      }
    </ShownOne>
  );
}

interface Around {
  readonly read: ReadRelated;
  readonly related: Related;
}

function Loaded({ read, related: { contract, preview }, session }: Around & { session: CheckoutSession }) {
  const { now } = useContext(Here);
  const open = session.status === 'pending' || session.status === 'decision_made';
  return (
    <Page
      title={<span class="long-id">{session.id}</span>}
      lead={
        <>
          <Badge of={session.status} /> {money(session.total_amount)} for <bdi>{session.order_reference}</bdi>
          {preview && '; a preview, not shown in lists'}
        </>
      }
      actions={
        <>
          {!preview && <CopyAs name="this session" curl={callOf(getCheckoutSession, { params: { id: session.id } })} />}
          <a class="button" href={checkoutOf(session)} target="_blank" rel="noopener">
            Open checkout page
          </a>
        </>
      }
    >
      {open && <Steps session={session} />}
      <Panel title="Facts">
        <Facts
          of={[
            ['Contract', contract ? <Id of={contract.reference} /> : noContract(session)],
            ['Order', <bdi>{session.order_reference}</bdi>],
            ['Total', money(session.total_amount)],
            ['Down payment', `${money(session.down_payment_amount)} (${session.down_payment_percentage}%)`],
            ['Opened', <Moment at={session.created_at} />],
            [
              'Deadline',
              <>
                <Moment at={session.expires_at} />
                {session.status === 'pending' && `, ${fromNow(session.expires_at, now)}`}
              </>,
            ],
            ['Return URL', session.return_url],
            ['Cancel URL', session.cancel_url],
          ]}
        />
        {Object.keys(session.metadata).length > 0 && <Json value={session.metadata} label="Metadata" />}
      </Panel>
      <Explained id={session.id} />
      <RelatedPanels of={read} />
    </Page>
  );
}

/** Relative, because this page may be open under a different origin than the simulator's own. */
const checkoutOf = ({ id }: CheckoutSession) => `/checkout/${id}`;

/** The customer's steps on the checkout page. */
function Steps({ session: { id, status } }: { session: CheckoutSession }) {
  const params = { id };
  return (
    <Panel title="Act as the customer">
      <div class="actions start">
        <Lever
          kind="strong"
          {...leverOf(completeCheckout, ({ reference }) => `${reference} is active.`, { params, body: {} })}
          step={stepOf('complete-checkout', { session: ORDER }, 'plan')}
        >
          Complete checkout
        </Lever>
        {status === 'pending' && (
          <Lever
            {...leverOf(acceptPlan, ({ reference }) => `${reference} waits for its first payment.`, {
              params,
              body: CUSTOMER,
            })}
            step={stepOf('accept', { session: ORDER, ...CUSTOMER }, 'plan')}
          >
            Accept the plan
          </Lever>
        )}
        {status === 'decision_made' && (
          <Lever
            {...leverOf(payCartCapture, 'The payment was declined; the customer may try again.', {
              params,
              body: { outcome: 'fail' },
            })}
            step={stepOf('pay', { session: ORDER, outcome: 'fail' })}
          >
            Decline the payment
          </Lever>
        )}
        <Lever
          kind="danger"
          {...leverOf(cancelCheckout, 'The customer backed out.', { params })}
          confirm="The session ends, and a plan that was accepted but not paid ends with it."
          step={stepOf('cancel-checkout', { session: ORDER })}
        >
          Back out
        </Lever>
      </div>
    </Panel>
  );
}

const CUSTOMER = { customer_name: 'Ada Byron', customer_email: 'ada@example.com' };
