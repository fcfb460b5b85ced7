import { useContext } from 'preact/hooks';
import { EXAMPLE_URLS } from '../../../../operations/schemas.ts';
import { completeCheckout, openSession } from '../../../../operations/sessions.ts';
import { asker } from '../../ask.ts';
import { stir } from '../../live.ts';
import { opener } from '../../route.ts';
import { Here } from '../here.ts';
import { Act } from './levers.tsx';
import { say } from './toast.tsx';

/** Opens a session, accepts and pays it: an active plan with its events, webhooks and emails. */
export function TestPlan() {
  const { href } = useContext(Here);
  const show = opener();
  const create = async () => {
    const body = { order_reference: 'TEST-1', total_amount: 20_000, ...EXAMPLE_URLS };
    const askHere = asker();
    const { id } = await askHere(openSession, { body });
    const { reference } = await askHere(completeCheckout, { params: { id }, body: {} });
    say(`${reference} is active. Move the clock to see its payments.`);
    stir();
    show(href('contracts', reference));
  };
  return (
    <Act kind="strong" does={create}>
      Create a test plan
    </Act>
  );
}
