import { once } from 'node:events';
import { createServer } from 'node:http';

/** Fixed, because it is visible in the pictures. */
const RECEIVER_PORT = 3000;
/** The duration of an answer of the receiver in the pictures. */
const ANSWER_MS = 12;
const START = '2026-03-02T09:30:00Z';

/**
 * Seven weeks of a shop on a frozen clock: plans that are paid, missed, cancelled and given up, and webhooks that failed
 * for five days.
 * @returns what the pictures show
 */
export async function play(createSimulator) {
  const time = stillTime();
  const receiver = await openReceiver(time);
  const sim = await createSimulator({ seed: 1, time, clock: { frozenAt: START } });
  const shop = await sim.merchant({
    dba: 'Harbour & Pine',
    legal_name: 'Harbour & Pine LLC',
    email: 'orders@pine.example',
  });

  const open = (order_reference, total_amount) =>
    shop.sessions.create({
      order_reference,
      total_amount,
      return_url: 'https://pine.example/thanks',
      cancel_url: 'https://pine.example/cart',
    });
  const customer = (name) => ({
    customer_name: name,
    customer_email: `${name.split(' ')[0].toLowerCase()}@example.com`,
  });
  async function sell(order, cents, name, outcomes = []) {
    const { id } = await open(order, cents);
    const { reference } = await shop.sessions.complete(id, customer(name));
    if (outcomes.length > 0) await shop.contracts.outcomes(reference, outcomes);
    return { id, reference };
  }
  async function accept(order, cents, name) {
    const { id } = await open(order, cents);
    await shop.sessions.accept(id, customer(name));
    return { id };
  }

  await shop.webhooks.add(receiver.url);
  await sell('HP-1041', 24_900, 'Ada Byron');
  await sell('HP-1042', 86_000, 'Mary Somerville', ['fail', 'fail']);

  await shop.clock.advance({ to: '2026-03-07T11:20:00Z' });
  await shop.sessions.cancel((await open('HP-1043', 12_000)).id);
  const returned = await sell('HP-1044', 41_550, 'Charles Wheatstone');
  const missed = await sell('HP-1045', 64_000, 'Grace Hopper', ['pay', 'fail', 'fail']);
  await open('HP-1046', 18_000);

  await shop.clock.advance({ to: '2026-03-23T16:40:00Z' });
  await shop.contracts.cancel(returned.reference);
  await sell('HP-1047', 129_900, 'Katherine Johnson');

  await shop.clock.advance({ to: '2026-04-15T18:00:00Z' });
  receiver.fail();
  await shop.clock.advance({ to: '2026-04-20T08:30:00Z' });
  const paid = await sell('HP-1048', 33_300, 'Edith Clarke');
  await shop.clock.advance({ to: '2026-04-20T10:15:00Z' });
  receiver.recover();
  const declined = await accept('HP-1049', 72_000, 'Emmy Noether');
  await shop.sessions.pay(declined.id, 'fail');
  const accepted = await accept('HP-1050', 52_500, 'Alan Turing');
  const quoted = await open('HP-1051', 48_000);
  // Lets the deliveries made in the meantime get their answers.
  await shop.clock.advance({ to: '2026-04-20T10:16:00Z' });

  return {
    sim,
    shop,
    checkouts: { quoted, accepted, declined, paid },
    missed,
    /** Arms faults for the picture of their view. */
    async arm() {
      await shop.faults.add({ kind: 'lost_answer', operation: 'createSession' });
      await shop.faults.add({ kind: 'duplicate', event: 'installment.paid', times: 3 });
    },
    /** An installment that becomes past due, with its email and webhook. */
    async overdue() {
      const own = await sim.merchant({ dba: 'Harbour & Pine', legal_name: 'Harbour & Pine LLC' });
      await own.webhooks.add(receiver.url);
      const { id } = await own.sessions.create({ order_reference: 'HP-1052', total_amount: 64_000 });
      const { reference } = await own.sessions.complete(id, customer('Grace Hopper'));
      await own.contracts.outcomes(reference, ['fail', 'fail']);
      await own.clock.advance({ until: `${reference}#1=past_due` });
      const email = await own.emails.wait({ subject: /past due/ });
      const delivery = (await own.webhooks.deliveries()).find(
        ({ event_type }) => event_type === 'installment.past_due',
      );
      return { shop: own, reference, email, delivery, settle: () => own.contracts.settle(reference, 1) };
    },
    async close() {
      await sim.close();
      await receiver.close();
    },
  };
}

/** Real time passes only while the receiver answers, so that the pictures do not depend on the speed of the machine. */
function stillTime() {
  let at = Date.parse(START);
  return {
    now: () => at,
    pass(ms) {
      at += ms;
    },
    after(ms, work) {
      const timer = setTimeout(work, ms);
      timer.unref();
      return () => clearTimeout(timer);
    },
  };
}

async function openReceiver(time) {
  const ok = { status: 200, text: 'ok' };
  let answer = ok;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      time.pass(ANSWER_MS);
      response.sendDate = false;
      response.writeHead(answer.status, { 'content-type': 'text/plain' }).end(answer.text);
    });
  });
  server.listen(RECEIVER_PORT, '127.0.0.1');
  await once(server, 'listening').catch((error) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new Error(`The pictures show a receiver on port ${RECEIVER_PORT}. Stop what listens there, and try again.`);
  });
  return {
    url: `http://127.0.0.1:${RECEIVER_PORT}/webhooks`,
    fail() {
      answer = { status: 503, text: 'The shop is being moved.' };
    },
    recover() {
      answer = ok;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
