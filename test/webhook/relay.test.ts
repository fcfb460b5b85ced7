import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { expect, test } from 'vitest';
import { Refusal } from '../../src/domain/refusal.ts';
import { createSimulator } from '../../src/index.ts';
import { createRelay } from '../../src/webhook/relay.ts';
import { selfSigned } from '../support/certificate.ts';
import { journey } from '../support/journey.ts';
import { expectData } from '../support/shop.ts';

/**
 * A real SMTP server that keeps what it is given. It has no mailbox for `refused`, and may be busy at first, hold its first
 * answer back, or offer TLS with a certificate of its own.
 */
async function openMailbox(port = 0, { refused = '', isBusy = false, holdsFirst = false, offersTls = false } = {}) {
  const letters: string[] = [];
  let busy = isBusy;
  const waiting: { count: number; resolve: () => void }[] = [];
  let isHeld: (answer: () => void) => void = () => undefined;
  /** Resolves with what answers the first letter. */
  const holding = new Promise<() => void>((resolve) => {
    isHeld = resolve;
  });
  const server = new SMTPServer({
    authOptional: true,
    ...(offersTls ? selfSigned() : { disabledCommands: ['STARTTLS'] }),
    onRcptTo({ address }, _session, done) {
      const error = busy ? Object.assign(new Error('Try again later'), { responseCode: 450 }) : null;
      busy = false;
      if (error) done(error);
      else done(address === refused ? Object.assign(new Error('No such mailbox'), { responseCode: 550 }) : null);
    },
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        letters.push(Buffer.concat(chunks).toString('utf8'));
        if (holdsFirst && letters.length === 1) isHeld(done);
        else done();
        for (const { count, resolve } of waiting) if (letters.length >= count) resolve();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    letters,
    holding,
    port: (server.server.address() as AddressInfo).port,
    arrived: (count: number) =>
      letters.length >= count
        ? Promise.resolve()
        : new Promise<void>((resolve) => void waiting.push({ count, resolve })),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

const headerOf = (letter: string | undefined, name: string) =>
  new RegExp(`^${name}: (.*(?:\r\n[ \t].*)*)`, 'im')
    .exec((letter ?? '').split('\r\n\r\n', 1)[0] as string)?.[1]
    ?.replace(/\r\n\s+/g, ' ');

test('decisions §7: emails are relayed to the configured SMTP server, in order, with both parts', async () => {
  const mailbox = await openMailbox();
  {
    await using sim = await createSimulator({ smtp: { host: '127.0.0.1', port: mailbox.port } });
    const story = await journey(sim, { at: '2026-01-01T00:00:00Z' });
    await story.buys();
    await story.advances({ by: '14d' });
    await mailbox.arrived(2);
    const emails = expectData(await story.call('GET', '/_sim/emails')).reverse();
    expect(mailbox.letters.map((letter) => headerOf(letter, 'Message-ID'))).toEqual(
      emails.map(({ id }: { id: string }) => `<${id}@layaway.example>`),
    );
    expect(mailbox.letters[0]).toContain('multipart/alternative');
    expect(headerOf(mailbox.letters[0], 'To')).toBe('ada@example.com');
    expect(headerOf(mailbox.letters[0], 'Date')).toBe('Thu, 01 Jan 2026 00:00:00 +0000');
  }
  await mailbox.close();
});

test('interface §4: an opened trace sends no emails, neither those that it holds nor new ones', async () => {
  const mailbox = await openMailbox();
  const smtp = { host: '127.0.0.1', port: mailbox.port };
  {
    await using saved = await createSimulator();
    const { reference } = await saved.default.contracts.create();
    await using opened = await createSimulator({ smtp, trace: await saved.trace() });
    await opened.default.contracts.cancel(reference);
    expect(await opened.default.emails.list()).toHaveLength(3);
    await using other = await createSimulator({ smtp });
    await other.default.contracts.create({ customer_email: 'ada@example.com' });
    await mailbox.arrived(1);
  }
  expect(mailbox.letters.map((letter) => headerOf(letter, 'To'))).toEqual(['ada@example.com']);
  await mailbox.close();
});

test('a mail server that offers TLS with a certificate of its own gets the emails', async () => {
  const mailbox = await openMailbox(0, { offersTls: true });
  {
    await using sim = await createSimulator({ smtp: { host: '127.0.0.1', port: mailbox.port } });
    const story = await journey(sim, { at: '2026-01-01T00:00:00Z' });
    await story.buys();
    await mailbox.arrived(1);
    expect(headerOf(mailbox.letters[0], 'To')).toBe('ada@example.com');
  }
  await mailbox.close();
});

test('decisions §7: a relay that is down delays nobody and loses nothing', async () => {
  const probe = await openMailbox();
  const { port } = probe;
  await probe.close();
  const faults: unknown[] = [];
  await using sim = await createSimulator({
    smtp: { host: '127.0.0.1', port },
    onFault: (error) => faults.push(error),
  });
  const story = await journey(sim, { at: '2026-01-01T00:00:00Z' });
  await story.buys();
  expect((await story.contract()).status).toBe('active');

  const mailbox = await openMailbox(port);
  await mailbox.arrived(1);
  expect(mailbox.letters).toHaveLength(1);
  expect(faults.map(String)).toEqual([expect.stringContaining('The SMTP server cannot be reached')]);
  await mailbox.close();

  // Each outage is told.
  await story.advances({ by: '14d' });
  await expect.poll(() => faults.length).toBe(2);
});

test('decisions §7: an email that the mail server refuses for good does not hold up the others', async () => {
  const mailbox = await openMailbox(0, { refused: 'nobody@example.com' });
  const faults: unknown[] = [];
  const smtp = { host: '127.0.0.1', port: mailbox.port };
  await using sim = await createSimulator({ smtp, onFault: (error) => faults.push(error) });
  const { sessions } = sim.default;
  for (const customer_email of ['nobody@example.com', 'ada@example.com']) {
    const { id } = await sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
    await sessions.complete(id, { customer_email });
  }
  await mailbox.arrived(1);
  expect(mailbox.letters.map((letter) => headerOf(letter, 'To'))).toEqual(['ada@example.com']);
  expect(faults.map(String)).toEqual([
    expect.stringMatching(
      /^EmailRefused: The SMTP server refused the email eml_\w+ to nobody@example\.com \(550 No such mailbox\)/,
    ),
  ]);
  await mailbox.close();
});

test('decisions §7: an email that the mail server does not take yet is sent again', async () => {
  const mailbox = await openMailbox(0, { isBusy: true });
  const faults: unknown[] = [];
  {
    await using sim = await createSimulator({
      smtp: { host: '127.0.0.1', port: mailbox.port },
      onFault: (error) => faults.push(error),
    });
    const story = await journey(sim, { at: '2026-01-01T00:00:00Z' });
    await story.buys();
    await mailbox.arrived(1);
    expect(faults.map(String)).toEqual([expect.stringContaining('does not accept emails now')]);
  }
  await mailbox.close();
});

test('decisions §7: after a reset, an email that was under way counts as none of the new ones', async () => {
  const mailbox = await openMailbox(0, { holdsFirst: true });
  await using sim = await createSimulator({ smtp: { host: '127.0.0.1', port: mailbox.port } });
  await (await journey(sim, { at: '2026-01-01T00:00:00Z' })).buys();
  const answerFirst = await mailbox.holding;
  await sim.reset();
  const { id } = await sim.default.sessions.create({ order_reference: 'A-1', total_amount: 20_000 });
  await sim.default.sessions.complete(id, { customer_email: 'grace@example.com' });
  answerFirst();
  await mailbox.arrived(2);
  expect(mailbox.letters.map((letter) => headerOf(letter, 'To'))).toEqual(['ada@example.com', 'grace@example.com']);
  await mailbox.close();
});

/** An SMTP server that answers the first lines it is sent, then hangs. */
async function openHangingMailbox(answers: readonly string[]) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    const left = [...answers];
    const answer = () => {
      const line = left.shift();
      if (line === undefined) server.emit('hanging');
      else socket.write(`${line}\r\n`);
    };
    socket.on('data', answer);
    answer();
  });
  const hanging = once(server, 'hanging');
  const left = once(server, 'connection').then(([socket]) => once(socket, 'close'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    hanging,
    /** Resolves when the first client has hung up. */
    left,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test.each([
  ['before its greeting', []],
  ['in the middle of an email', ['220 ready', '250 hello', '250 sender', '250 recipient', '354 go on']],
])(
  'a mail server that hangs %s is not waited for when the simulator closes, but hung up on',
  { timeout: 8_000 },
  async (_, answers) => {
    const mailbox = await openHangingMailbox(answers);
    const faults: unknown[] = [];
    const smtp = { host: '127.0.0.1', port: mailbox.port };
    const sim = await createSimulator({ smtp, onFault: (error) => faults.push(error) });
    await (await journey(sim, { at: '2026-01-01T00:00:00Z' })).buys();
    await mailbox.hanging;
    await sim.close();
    await mailbox.left;
    await mailbox.close();
    expect(faults).toEqual([]);
  },
);

test.each([
  ['on greeting', ['421 Too busy\u0007\u0007 now\u202e \u001b'], '421 Too busy now'],
  ['for a while', ['220 ready', '250 hello', '450 greylist'], '450 greylist'],
  ['for good', ['220 ready', '250 hello', '550 not from you'], '550 not from you'],
])('decisions §7: one line says what a mail server answers that accepts no emails (%s)', async (_, answers, said) => {
  const mailbox = await openHangingMailbox(answers);
  let isTold: (error: unknown) => void = () => undefined;
  const told = new Promise((resolve) => {
    isTold = resolve;
  });
  await using sim = await createSimulator({ smtp: { host: '127.0.0.1', port: mailbox.port }, onFault: isTold });
  await (await journey(sim, { at: '2026-01-01T00:00:00Z' })).buys();
  expect(String(await told)).toBe(
    `SmtpAway: The SMTP server does not accept emails now (${said}). They wait until it does.`,
  );
  await mailbox.close();
});

test('an email that was sent but cannot be recorded is told of once, and not sent again', async () => {
  const mailbox = await openMailbox();
  const email = (id: number) => ({
    id,
    token: `eml_${id}`,
    recipient: 'ada@example.com',
    template: 'endpoint_disabled' as const,
    facts: { mode: 'sandbox' as const, merchant: 'Shop', url: 'http://localhost:3000/', reason: 'failing' },
    createdAt: 0,
  });
  let relayed = 0;
  let failures = 1;
  const faults: unknown[] = [];
  const store = {
    emails: {
      nextToRelay: () => (relayed < 2 ? email(relayed + 1) : null),
      relayed: (id: number) => (relayed = id),
    },
    transaction(work: () => unknown) {
      failures -= 1;
      if (failures >= 0) throw new Refusal('disk_full');
      return work();
    },
  };
  const relay = await createRelay({ host: '127.0.0.1', port: mailbox.port }, store, (error) => faults.push(error));
  relay.wake();
  await mailbox.arrived(2);
  await relay.stop();
  expect(relayed).toBe(2);
  expect(mailbox.letters.map((letter) => headerOf(letter, 'Message-ID'))).toEqual([
    '<eml_1@layaway.example>',
    '<eml_2@layaway.example>',
  ]);
  expect(faults).toEqual([new Refusal('disk_full')]);
  await mailbox.close();
});

test('an email that the mail server did not confirm is sent again after a restart', async () => {
  const data = mkdtempSync(join(tmpdir(), 'layaway-relay-'));
  const hanging = await openHangingMailbox(['220 ready', '250 hello', '250 sender', '250 recipient', '354 go on']);
  const first = await createSimulator({ data, smtp: { host: '127.0.0.1', port: hanging.port } });
  await (await journey(first, { at: '2026-01-01T00:00:00Z' })).buys();
  await hanging.hanging;
  await first.close();
  await hanging.close();

  const mailbox = await openMailbox();
  const second = await createSimulator({ data, smtp: { host: '127.0.0.1', port: mailbox.port } });
  await mailbox.arrived(1);
  expect(headerOf(mailbox.letters[0], 'To')).toBe('ada@example.com');
  await second.close();
  await mailbox.close();
});

test('a customer’s name starts no header line of its own', async () => {
  const mailbox = await openMailbox();
  {
    await using sim = await createSimulator({ smtp: { host: '127.0.0.1', port: mailbox.port } });
    const story = await journey(sim, { at: '2026-01-01T00:00:00Z' });
    await story.sets({ dba: 'Shop\r\nBcc: eve@example.com' });
    await story.buys();
    await mailbox.arrived(1);
    expect(headerOf(mailbox.letters[0], 'Bcc')).toBeUndefined();
    expect(headerOf(mailbox.letters[0], 'Subject')).toContain('Bcc: eve@example.com');
  }
  await mailbox.close();
});
