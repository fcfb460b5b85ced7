import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSimulator, type Simulator } from '../../../src/index.ts';
import { expectData, openShop, order, type TestShop } from '../../support/shop.ts';

let sim: Simulator;
let shop: TestShop;
beforeAll(async () => {
  sim = await createSimulator({ seed: 1, clock: { frozenAt: '2026-01-01T00:00:00Z' } });
  shop = await openShop(sim);
});
afterAll(() => sim.close());

const CLOVER = '🍀';
const url = (length: number) => `https://shop.example/${'a'.repeat(length - 'https://shop.example/'.length)}`;
const email = (length: number) => `${'a'.repeat(length - '@example.com'.length)}@example.com`;
/** Longer than 64 before the @ is no address, so the length is made up in the domain. */
const longEmail = (length: number) => {
  const labels = `${`${'b'.repeat(59)}.`.repeat(4)}com`;
  return `${'a'.repeat(length - labels.length - 1)}@${labels}`;
};
const items = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v']));

/** A field, a value, and the one message it gets; null when it is fine. */
type Row = readonly [field: string, value: unknown, message: string | null];

const SHARED: Row[] = [
  ['order_reference', 'A-1', null],
  ['order_reference', 'x'.repeat(100), null],
  ['order_reference', 'x'.repeat(101), 'The order reference field must not be greater than 100 characters.'],
  ['order_reference', CLOVER.repeat(100), null],
  ['order_reference', CLOVER.repeat(101), 'The order reference field must not be greater than 100 characters.'],
  ['order_reference', '', 'The order reference field is required.'],
  ['order_reference', ' \t\n', 'The order reference field is required.'],
  ['order_reference', '\u200b\u200e\ufeff\u3000', 'The order reference field is required.'],
  ['order_reference', 5, 'The order reference field must be a string.'],
  ['order_reference', true, 'The order reference field must be a string.'],
  ['order_reference', ['A'], 'The order reference field must be a string.'],
  ['order_reference', { a: 1 }, 'The order reference field must be a string.'],
  ['metadata', null, null],
  ['metadata', {}, null],
  ['metadata', [], 'The metadata field must be an object, not a list.'],
  ['metadata', ['a'], 'The metadata field must be an object, not a list.'],
  ['metadata', 'text', 'The metadata field must be an object.'],
  ['metadata', 5, 'The metadata field must be an object.'],
  ['metadata', false, 'The metadata field must be an object.'],
  ['metadata', items(50), null],
  ['metadata', items(51), 'The metadata field must not have more than 50 items.'],
  ['metadata', { ['k'.repeat(40)]: 'v' }, null],
  ['metadata', { ['k'.repeat(41)]: 'v' }, 'The metadata keys must be between 1 and 40 characters.'],
  ['metadata', { [CLOVER.repeat(40)]: 'v' }, null],
  ['metadata', { [CLOVER.repeat(41)]: 'v' }, 'The metadata keys must be between 1 and 40 characters.'],
  ['metadata', { '': 'v' }, 'The metadata keys must be between 1 and 40 characters.'],
];

const CREATE: Row[] = [
  ...SHARED,
  ['order_reference', undefined, 'The order reference field is required.'],
  ['order_reference', null, 'The order reference field is required.'],
  ['total_amount', 5000, null],
  ['total_amount', 4999, 'The total amount field must be at least 5000.'],
  ['total_amount', 500_000, null],
  ['total_amount', 500_001, 'The total amount field must not be greater than 500000.'],
  ['total_amount', 0, 'The total amount field must be at least 5000.'],
  ['total_amount', -20_000, 'The total amount field must be at least 5000.'],
  ['total_amount', 20_000.5, 'The total amount field must be an integer.'],
  ['total_amount', '5000', 'The total amount field must be an integer.'],
  ['total_amount', true, 'The total amount field must be an integer.'],
  ['total_amount', [20_000], 'The total amount field must be an integer.'],
  ['total_amount', { cents: 20_000 }, 'The total amount field must be an integer.'],
  ['total_amount', 2 ** 60, 'The total amount field must not be greater than 500000.'],
  ['total_amount', undefined, 'The total amount field is required.'],
  ['total_amount', null, 'The total amount field is required.'],
  ['total_amount', '', 'The total amount field is required.'],
  ['total_amount', '  ', 'The total amount field is required.'],
  ['return_url', undefined, 'The return url field is required.'],
  ['return_url', null, 'The return url field is required.'],
  ['return_url', ' ', 'The return url field is required.'],
  ['return_url', 7, 'The return url field must be a string.'],
  ['return_url', url(2048), null],
  ['return_url', url(2049), 'The return url field must not be greater than 2048 characters.'],
  ['return_url', 'https://shop.example/?cart[id]=1#paid', null],
  ['return_url', 'https://ada:pw@[2001:db8::1]:8443/a:b@c;d?cart[id]=/?#/?', null],
  ['return_url', 'https://shop.example/cart[1]', 'The return url field must be a valid URL.'],
  ['return_url', 'https://shop.example/#cart[1]', 'The return url field must be a valid URL.'],
  ['return_url', 'https://ada[1]@shop.example/', 'The return url field must be a valid URL.'],
  ['return_url', 'https://shop.example@evil@shop.example/', 'The return url field must be a valid URL.'],
  ['return_url', 'https://shop.example/#a#b', 'The return url field must be a valid URL.'],
  ['return_url', 'https://-/', 'The return url field must be a valid URL.'],
  ['return_url', 'https://.../return', 'The return url field must be a valid URL.'],
  ['customer_email', '\u200bada@example.com\u200e\ufeff', null],
  ['customer_email', '\u200b\u3000', null],
  ['customer_email', '\u0085', null],
  ['return_url', 'nowhere', 'The return url field must be a valid URL.'],
  ['return_url', '//shop.example/return', 'The return url field must be a valid URL.'],
  ['return_url', 'https://', 'The return url field must be a valid URL.'],
  ['return_url', 'https://shop.example:99999/', 'The return url field must be a valid URL.'],
  ['return_url', 'https://4294967296/', 'The return url field must be a valid URL.'],
  ['return_url', 'https:///return', 'The return url field must be a valid URL.'],
  ['return_url', 'https://shop.example/a b', 'The return url field must be a valid URL.'],
  ['return_url', ' https://shop.example/', 'The return url field must be a valid URL.'],
  ['return_url', 'https://shop.example/\n', 'The return url field must be a valid URL.'],
  ['return_url', 'https://shop.example/\u0000', 'The return url field must be a valid URL.'],
  ['return_url', 'javascript:alert(1)', 'The return url field must be a valid URL.'],
  ['return_url', 'https://shop.example/%zz', 'The return url field must be a valid URL.'],
  ['return_url', 'http://shop.example/', 'The return url field must start with one of the following: https://.'],
  ['return_url', 'ftp://shop.example/', 'The return url field must start with one of the following: https://.'],
  ['return_url', 'HTTPS://shop.example/?a=1&b=%20#c', null],
  ['return_url', 'https://shop.example:8443/return?order=1', null],
  ['cancel_url', undefined, 'The cancel url field is required.'],
  ['cancel_url', 'nowhere', 'The cancel url field must be a valid URL.'],
  ['cancel_url', 'http://shop.example/', 'The cancel url field must start with one of the following: https://.'],
  ['cancel_url', url(2049), 'The cancel url field must not be greater than 2048 characters.'],
  ['customer_email', undefined, null],
  ['customer_email', null, null],
  ['customer_email', '', null],
  ['customer_email', '  ', null],
  ['customer_email', ' ada@example.com ', null],
  ['customer_email', 5, 'The customer email field must be a string.'],
  ['customer_email', 'ada', 'The customer email field must be a valid email address.'],
  ['customer_email', 'ada@', 'The customer email field must be a valid email address.'],
  ['customer_email', 'ada@@example.com', 'The customer email field must be a valid email address.'],
  ['customer_email', 'ada @example.com', 'The customer email field must be a valid email address.'],
  ['customer_email', 'ada.b.lovelace+shop@example.com', null],
  ['customer_email', '.ada@example.com', 'The customer email field must be a valid email address.'],
  ['customer_email', 'ada.@example.com', 'The customer email field must be a valid email address.'],
  ['customer_email', 'ada..lovelace@example.com', 'The customer email field must be a valid email address.'],
  ['customer_email', `${'a'.repeat(64)}@example.com`, null],
  ['customer_email', `${'a'.repeat(65)}@example.com`, 'The customer email field must be a valid email address.'],
  ['customer_email', `ada@${'a'.repeat(63)}.com`, null],
  ['customer_email', `ada@${'a'.repeat(64)}.com`, 'The customer email field must be a valid email address.'],
  ['customer_email', `ada@example.${'a'.repeat(63)}`, null],
  ['customer_email', `ada@example.${'a'.repeat(64)}`, 'The customer email field must be a valid email address.'],
  ['customer_email', longEmail(255), null],
  ['customer_email', longEmail(256), 'The customer email field must not be greater than 255 characters.'],
  ['customer_email', email(256), 'The customer email field must not be greater than 255 characters.'],
  ['customer_state', undefined, null],
  ['customer_state', null, null],
  ['customer_state', '', null],
  ['customer_state', ' ', null],
  ['customer_state', 'TX', null],
  ['customer_state', ' ca ', null],
  ['customer_state', 'T', 'The customer state field must be 2 characters.'],
  ['customer_state', 'TEX', 'The customer state field must be 2 characters.'],
  ['customer_state', `${CLOVER}${CLOVER}${CLOVER}`, 'The customer state field must be 2 characters.'],
  ['customer_state', 5, 'The customer state field must be a string.'],
];

const shown = (value: unknown) => {
  const text = JSON.stringify(value) ?? 'absent';
  return text.length > 40 ? `${text.slice(0, 37)}… (${text.length})` : text;
};

describe('§4.3, §8, decisions §5: fields of session create', () => {
  it.each(CREATE.map(([field, value, message]) => [field, shown(value), message ?? 'fine', value, message] as const))(
    '%s: %s is %s',
    async (field, _shown, _verdict, value, message) => {
      const answer = await shop.call('POST', '/v1/sessions', order({ [field]: value }));
      if (message === null) return void expectData(answer, 201);
      expect(answer.status).toBe(422);
      expect(answer.body).toEqual({ message, errors: { [field]: [message] } });
    },
  );

  it('§4.3: amounts follow the merchant’s own terms, and never go below one cent', async () => {
    const own = await openShop(sim);
    await own.set({ installment_count: 1, min_order_amount: 100, max_order_amount: 101 });
    const [low, high] = await Promise.all(
      [99, 102].map((total_amount) => own.call('POST', '/v1/sessions', order({ total_amount }))),
    );
    expect(low?.body.message).toBe('The total amount field must be at least 100.');
    expect(high?.body.message).toBe('The total amount field must not be greater than 101.');
    expect((await own.open({ total_amount: 101 })).total_amount).toBe(101);
  });

  it.each([
    ['1e400', 'The total amount field must be an integer.'],
    ['-1e400', 'The total amount field must be an integer.'],
    ['9007199254740993', 'The total amount field must not be greater than 500000.'],
    ['20000.000001', 'The total amount field must be an integer.'],
    ['1e-7', 'The total amount field must be an integer.'],
  ])('decisions §5: the number %s is refused', async (number, message) => {
    const text = JSON.stringify(order({ total_amount: 0 })).replace('"total_amount":0', `"total_amount":${number}`);
    const answer = await shop.call('POST', '/v1/sessions', text);
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toEqual({ total_amount: [message] });
  });

  it.each(['2e4', '20000.0', '2000000e-2'])('decisions §5: %s is the whole number 20000', async (number) => {
    const text = JSON.stringify(order({ total_amount: 0 })).replace('"total_amount":0', `"total_amount":${number}`);
    expect(expectData(await shop.call('POST', '/v1/sessions', text), 201).total_amount).toBe(20_000);
  });
});

describe('decisions §5: all fields at once', () => {
  it('an empty object names the four required fields, in order, and counts the rest', async () => {
    const { status, body } = await shop.call('POST', '/v1/sessions', {});
    expect(status).toBe(422);
    expect(Object.entries(body.errors)).toEqual([
      ['order_reference', ['The order reference field is required.']],
      ['total_amount', ['The total amount field is required.']],
      ['return_url', ['The return url field is required.']],
      ['cancel_url', ['The cancel url field is required.']],
    ]);
    expect(body.message).toBe('The order reference field is required. (and 3 more errors)');
  });

  it('every field, metadata values last, whatever the order they were sent in', async () => {
    const wrong = {
      metadata: {
        a: 1,
        b: ' \u200b',
        c: 'x'.repeat(501),
        d: CLOVER.repeat(500),
        e: 'fine',
        f: null,
        g: {},
        h: '\u0085',
      },
      customer_state: 'TEX',
      customer_email: 'ada',
      cancel_url: 'http://shop.example/',
      return_url: 'nowhere',
      total_amount: 1,
      order_reference: 5,
    };
    const { status, body } = await shop.call('POST', '/v1/sessions', wrong);
    expect(status).toBe(422);
    expect(Object.entries(body.errors)).toEqual([
      ['order_reference', ['The order reference field must be a string.']],
      ['total_amount', ['The total amount field must be at least 5000.']],
      ['return_url', ['The return url field must be a valid URL.']],
      ['cancel_url', ['The cancel url field must start with one of the following: https://.']],
      ['customer_email', ['The customer email field must be a valid email address.']],
      ['customer_state', ['The customer state field must be 2 characters.']],
      ['metadata.a', ['The metadata.a field must be a string.']],
      ['metadata.b', ['The metadata.b field must not be empty; omit the key instead.']],
      ['metadata.c', ['The metadata.c field must not be greater than 500 characters.']],
      ['metadata.f', ['The metadata.f field must be a string.']],
      ['metadata.g', ['The metadata.g field must be a string.']],
      ['metadata.h', ['The metadata.h field must not be empty; omit the key instead.']],
    ]);
    expect(body.message).toBe('The order reference field must be a string. (and 11 more errors)');
  });

  it('two errors read "(and 1 more error)"', async () => {
    const { body } = await shop.call('POST', '/v1/sessions', order({ total_amount: '1', customer_state: 'T' }));
    expect(body.message).toBe('The total amount field must be an integer. (and 1 more error)');
  });

  it('a bad key is reported once, and values are checked only when the map itself passed', async () => {
    const metadata = { '': 'v', ['k'.repeat(41)]: 'v', good: 5 };
    const { body } = await shop.call('POST', '/v1/sessions', order({ metadata }));
    expect(body.errors).toEqual({ metadata: ['The metadata keys must be between 1 and 40 characters.'] });
    const many = await shop.call('POST', '/v1/sessions', order({ metadata: { ...items(51), '': 5 } }));
    expect(many.body.errors).toEqual({ metadata: ['The metadata field must not have more than 50 items.'] });
  });

  it('§2.4: a value of 500 code points counts after trimming', async () => {
    const value = CLOVER.repeat(500);
    expect((await shop.open({ metadata: { a: `  ${value}\n` } })).metadata).toEqual({ a: value });
  });
});

describe('decisions §5: what is kept', () => {
  it('order reference and URLs as sent; email, state and metadata values trimmed, state upper-cased', async () => {
    const session = await shop.open({
      order_reference: '  A 1 ',
      return_url: 'HTTPS://Shop.example?x=%7e#Y',
      customer_email: '  ada@example.com\t',
      customer_state: ' ca ',
      metadata: { ' key ': '  value  ' },
    });
    expect(session.order_reference).toBe('  A 1 ');
    expect(session.return_url).toBe('HTTPS://Shop.example?x=%7e#Y');
    expect(session.metadata).toEqual({ ' key ': 'value' });
    const contract = await shop.step(session.id, 'complete');
    expect(contract).toMatchObject({
      order_reference: '  A 1 ',
      customer_email: 'ada@example.com',
      customer_state: 'CA',
      metadata: { ' key ': 'value' },
    });
  });

  it('`__proto__` is an ordinary metadata key, echoed back on session, contract and update', async () => {
    const metadata = '{"__proto__":"a","constructor":"b","toString":"c"}';
    const text = JSON.stringify(order({ metadata: 0 })).replace('"metadata":0', `"metadata":${metadata}`);
    const created = await shop.call('POST', '/v1/sessions', text);
    expect(created.status).toBe(201);
    expect(created.text).toContain(`"metadata":${metadata}`);
    const contract = await shop.step(created.body.data.id, 'complete');
    const read = await shop.call('GET', `/v1/contracts/${contract.reference}`);
    expect(read.text).toContain(`"metadata":${metadata}`);
    const updated = await shop.call('PATCH', `/v1/contracts/${contract.reference}`, '{"metadata":{"__proto__":" z "}}');
    expect(updated.text).toContain('"metadata":{"__proto__":"z"}');
  });

  it('`__proto__` as a field is an unknown key: it sets nothing', async () => {
    const text = `{"__proto__":${JSON.stringify(order())}}`;
    const { status, body } = await shop.call('POST', '/v1/sessions', text);
    expect(status).toBe(422);
    expect(Object.keys(body.errors)).toEqual(['order_reference', 'total_amount', 'return_url', 'cancel_url']);
    const bad = await shop.call('POST', '/v1/sessions', '{"metadata":{"__proto__":5}}');
    expect(bad.body.errors['metadata.__proto__']).toEqual(['The metadata.__proto__ field must be a string.']);
  });

  it('the last of duplicate JSON keys wins', async () => {
    const text = JSON.stringify(order()).replace('{', '{"order_reference":"first","total_amount":"no",');
    expect(expectData(await shop.call('POST', '/v1/sessions', text), 201).order_reference).toBe('A-1');
  });

  it('unknown keys are ignored', async () => {
    const session = await shop.open({
      status: 'completed',
      id: 'cs_mine',
      down_payment_amount: 1,
      expires_at: 'never',
    });
    expect(session).toMatchObject({ status: 'pending', down_payment_amount: 4000 });
    expect(session.id).not.toBe('cs_mine');
  });

  it('§4.3 rule 5: nothing is written by a refused request', async () => {
    const own = await openShop(sim);
    await own.call('POST', '/v1/sessions', order({ total_amount: 1 }));
    await own.call('POST', '/v1/sessions', '{');
    await own.call('POST', '/v1/sessions', order({ customer_state: 'DC' }));
    await own.call('POST', '/v1/sessions', order(), { 'idempotency-key': 'k'.repeat(256) });
    expect(expectData(await own.call('GET', '/_sim/sessions'))).toEqual([]);
  });
});

describe('§4.7, decisions §5: fields of contract update', () => {
  const UPDATE: Row[] = [...SHARED, ['order_reference', null, 'The order reference field must be a string.']];

  it('each field', async () => {
    const { reference } = await shop.complete({ metadata: { kept: 'yes' } });
    for (const [field, value, message] of UPDATE) {
      const before = await shop.call('GET', `/v1/contracts/${reference}`);
      const answer = await shop.call('PATCH', `/v1/contracts/${reference}`, { [field]: value });
      const name = `${field}: ${shown(value)}`;
      if (message === null) {
        expect(expectData(answer)[field], name).toEqual(value ?? {});
      } else {
        expect(answer.status, name).toBe(422);
        expect(answer.body, name).toEqual({ message, errors: { [field]: [message] } });
        expect((await shop.call('GET', `/v1/contracts/${reference}`)).text, name).toBe(before.text);
      }
    }
  });

  it('one wrong field keeps the other from being written', async () => {
    const contract = await shop.complete({ metadata: { a: '1' } });
    const path = `/v1/contracts/${contract.reference}`;
    const { body } = await shop.call('PATCH', path, { order_reference: '', metadata: { a: '', b: 5 } });
    expect(body.message).toBe('The order reference field is required. (and 2 more errors)');
    await shop.call('PATCH', path, { order_reference: 'B-2', metadata: [] });
    expect(expectData(await shop.call('GET', path))).toEqual(contract);
  });
});
