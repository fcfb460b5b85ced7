import { useContext } from 'preact/hooks';
import { EXAMPLE_URLS } from '../../../../operations/schemas.ts';
import { completeCheckout, openSession } from '../../../../operations/sessions.ts';
import { asker } from '../../ask.ts';
import { refresh } from '../../live.ts';
import { Here } from '../here.ts';
import { Act } from './levers.tsx';
import { opener } from './opener.ts';

/** Opens a session, accepts and pays it: an active plan with its events, webhooks and emails. */
export function TestPlan() {
  const { href } = useContext(Here);
  const create = async () => {
    const body = { order_reference: 'TEST-1', total_amount: 20_000, ...EXAMPLE_URLS };
    const askHere = asker();
    const open = opener();
    const { id } = await askHere(openSession, { body });
    const { reference } = await askHere(completeCheckout, { params: { id }, body: {} });
    refresh();
    open(href('contracts', reference), `${reference} is active. Move the clock to see its payments.`);
  };
  return (
    <Act kind="strong" does={create}>
      Create a test plan
    </Act>
  );
}
