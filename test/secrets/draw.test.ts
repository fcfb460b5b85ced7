import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MODES, modeOfApiKey } from '../../src/domain/mode.ts';
import { sha256 } from '../../src/secrets/digest.ts';
import { createDraw, type Draw, defaultDraw, randomSecret } from '../../src/secrets/draw.ts';

/** Everything that can be drawn under one number. */
const drawn = (draw: Draw, n: number) => ({
  session: draw.session(n),
  contract: draw.contract(n, 0),
  again: draw.contract(n, 1),
  sim: draw.payment('sandbox', n),
  pay: draw.payment('live', n),
  event: draw.id('evt', n),
  email: draw.id('eml', n),
  clients: MODES.map((mode) => draw.clientId(mode, n)),
  keys: MODES.flatMap((mode) => [draw.firstKey(mode, n), draw.apiKey(mode, n)]),
  secret: draw.webhookSecret('account', n),
});

test('decisions §1: a seed fixes every id, token, reference and key drawn after it', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(2 ** 40), (seed, n) => {
      expect(drawn(createDraw(seed), n)).toEqual(drawn(createDraw(seed), n));
    }),
  );
});

test('two seeds, two numbers or two kinds never give the same', () => {
  // `sim_` and `pay_` are one kind: attempts are numbered across both modes.
  const kinds = ({ pay: _, ...others }: ReturnType<typeof drawn>) => Object.values(others).flat();
  const all = ['1', '2', '1\n', '11'].flatMap((seed) =>
    [0, 1, 2, 11, 2 ** 40].flatMap((n) => kinds(drawn(createDraw(seed), n))),
  );
  expect(new Set(all.map((text) => text.replace(/^[a-zA-Z]+[_-](test_|live_)?/, ''))).size).toBe(all.length);
});

test('decisions §5: shapes and alphabets', () => {
  const ulid = '[0-7][0-9A-HJKMNP-TV-Z]{25}';
  fc.assert(
    fc.property(fc.string(), fc.nat(2 ** 40), (seed, n) => {
      const { session, contract, again, sim, pay, event, clients, keys, secret } = drawn(createDraw(seed), n);
      expect(session).toMatch(/^cs_[0-9A-Za-z]{32}$/);
      expect(contract).toMatch(/^LAY-[0-9A-HJKMNP-TV-Z]{10}$/);
      expect(again).toMatch(/^LAY-[0-9A-HJKMNP-TV-Z]{10}$/);
      expect(again).not.toBe(contract);
      expect(sim).toMatch(new RegExp(`^sim_${ulid}$`));
      expect(pay).toMatch(new RegExp(`^pay_${ulid}$`));
      expect(event).toMatch(new RegExp(`^evt_${ulid}$`));
      expect(clients[0]).toMatch(/^mch_test_[0-9A-Za-z]{32}$/);
      expect(clients[1]).toMatch(/^mch_live_[0-9A-Za-z]{32}$/);
      expect(keys.map((key) => modeOfApiKey(key))).toEqual(MODES.flatMap((mode) => [mode, mode]));
      for (const key of keys) expect(key.slice('sk_test_'.length)).toMatch(/^[0-9A-Za-z]{32}$/);
      expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
      expect(secret).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
    }),
  );
});

test('ids of one kind sort in the order they were drawn', () => {
  const draw = createDraw('1');
  const events = Array.from({ length: 200 }, (_, n) => draw.id('evt', n + 1));
  expect([...events].sort()).toEqual(events);
});

test('without a seed nothing is ever drawn twice', () => {
  const all = Array.from({ length: 50 }, () => Object.values(drawn(createDraw(null), 1)).flat()).flat();
  expect(new Set(all).size).toBe(all.length);
});

test('without a seed, too, ids of one kind sort in the order they were drawn', () => {
  const draw = createDraw(null);
  const events = Array.from({ length: 200 }, (_, n) => draw.id('evt', n + 1));
  expect([...events].sort()).toEqual(events);
});

test('a secret that nobody can guess', () => {
  expect(randomSecret()).toMatch(/^[0-9a-f]{64}$/);
  expect(new Set(Array.from({ length: 100 }, randomSecret)).size).toBe(100);
});

// Only their digest stands here, because scanners take the credentials themselves for leaked ones.
test('decisions §5: the default credentials are the same on every machine, for ever', () => {
  const four = [
    defaultDraw.clientId('sandbox', 1),
    defaultDraw.firstKey('sandbox', 1),
    defaultDraw.clientId('live', 1),
    defaultDraw.firstKey('live', 1),
  ];
  expect(sha256(four.join('\n')).toString('hex')).toBe(
    'e7a86b648e77497c783357c57500a742947b14b3f2822ee151cf7d21ee135ea9',
  );
});
