import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSimulator, type Simulator } from '../../../src/index.ts';
import { type Journey, journey } from '../../support/journey.ts';

let sim: Simulator;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1 });
});
afterAll(() => sim.close());

const at = '2026-01-01T09:00:00Z';
const inbox = async ({ call }: Journey, query = '') => (await call('GET', `/_sim/emails${query}`)).body.data;

/** A plan that is missed and cancelled: four emails, to two people. */
async function begin(mode: 'sandbox' | 'live' = 'sandbox') {
  const ada = await journey(sim, { at, mode });
  await ada.buys();
  await ada.arranges('fail', 'fail');
  await ada.advances('2026-01-20');
  await ada.isCancelled();
  return ada;
}

test('interface §3 and decisions §7: an email has text and HTML, its template, its reference and its instant', async () => {
  const ada = await begin();
  const emails = await inbox(ada);
  expect(emails.map(({ template, to }: Record<string, string>) => [template, to])).toEqual([
    ['plan_cancelled_customer', 'ada@example.com'],
    ['plan_cancelled_merchant', 'shop@example.com'],
    ['past_due_notice', 'ada@example.com'],
    ['plan_confirmation', 'ada@example.com'],
  ]);
  for (const email of emails) {
    expect(email).toEqual({
      id: expect.stringMatching(/^eml_/),
      to: expect.any(String),
      from: expect.stringContaining('Example Store'),
      subject: expect.stringMatching(/^\[Sandbox\] \S/),
      template: expect.any(String),
      reference: ada.reference(),
      text: expect.stringContaining(ada.reference()),
      html: expect.stringContaining(ada.reference()),
      created_at: expect.stringMatching(/^2026-01-(01T09|20T00):00:00\.000000Z$|^2026-01-17T00:00:00\.000000Z$/),
    });
    expect((await ada.call('GET', `/_sim/emails/${email.id}`)).body.data).toEqual(email);
  }
});

test('decisions §7: a live subject has no sandbox mark', async () => {
  const emails = await inbox(await begin('live'));
  expect(emails).toHaveLength(4);
  for (const { subject } of emails) expect(subject).not.toContain('[Sandbox]');
});

test('interface §3: to= and reference= narrow, after= pages forward, limit= bounds', async () => {
  const ada = await begin();
  const all = await inbox(ada);
  const first = ada.reference();
  await ada.buys();
  expect(await inbox(ada, '?to=shop@example.com')).toEqual([all[1]]);
  expect(await inbox(ada, '?to=Shop@Example.com')).toEqual([all[1]]);
  expect(await inbox(ada, `?reference=${first}`)).toEqual(all);
  expect(await inbox(ada, `?reference=${first}&to=ada@example.com&limit=1`)).toEqual([all[0]]);
  expect(await inbox(ada, `?after=${all[3].id}&limit=2`)).toEqual([all[2], all[1]]);
  expect(await inbox(ada, `?after=${all[2].id}&to=ada@example.com&reference=${first}`)).toEqual([all[0]]);
  expect(await inbox(ada, '?to=nobody@example.com')).toEqual([]);
});

test.each(['limit=0', 'limit=1001', 'after=eml_unknown'])('interface §3: ?%s is refused', async (query) => {
  const answer = await (await begin()).call('GET', `/_sim/emails?${query}`);
  expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, [query.split('=')[0]]]);
});

test('decisions §1: emails of another account are not there', async () => {
  const [ada, bob] = [await begin(), await journey(sim, { at })];
  const [email] = await inbox(ada);
  expect(await inbox(bob)).toEqual([]);
  const answer = await bob.call('GET', `/_sim/emails/${email.id}`);
  expect([answer.status, answer.body]).toEqual([404, { message: 'Email not found.' }]);
});
