import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSimulator, type Simulator } from '../../../src/index.ts';
import { order } from '../../support/shop.ts';

/** More than memory keeps the answers of. */
const CONTRACTS = 1_200;

describe('§4.6: a contract reads as in the list, however many are read', () => {
  let folder: string;
  let sim: Simulator;
  let references: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: the resources differ
  const call = async (method: 'GET' | 'POST' | 'PATCH', url: string, payload?: object): Promise<any> => {
    const headers = { 'x-client-id': sim.default.clientId, 'x-api-key': sim.default.apiKey };
    const answer = await sim.inject({ method, url, headers, ...(payload && { payload }) });
    expect(answer.statusCode, answer.body).toBeLessThan(300);
    return answer.json<{ data: unknown }>().data;
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'layaway-many-'));
    sim = await createSimulator({ data: folder, rateLimit: 'off' });
    for (let n = 1; n <= CONTRACTS; n += 1) {
      const { id } = await call('POST', '/v1/sessions', order({ order_reference: `A-${n}` }));
      await call('POST', `/_sim/sessions/${id}/complete`, {});
    }
    references = (await listed()).map(({ reference }) => reference);
  });
  afterAll(async () => {
    await sim.close();
    await rm(folder, { recursive: true });
  });

  /** The list is made from the rows. */
  async function listed(): Promise<{ reference: string }[]> {
    const all: { reference: string }[] = [];
    for (let page = 1; all.length < CONTRACTS; page += 1)
      all.push(...(await call('GET', `/v1/contracts?page=${page}`)));
    return all;
  }
  async function readAll() {
    const all: object[] = [];
    for (const reference of references) all.push(await call('GET', `/v1/contracts/${reference}`));
    return all;
  }

  test('again and again, after changes, a move of the clock and a restore', async () => {
    expect(references).toHaveLength(CONTRACTS);
    const [newest, oldest] = [references[0], references.at(-1)];
    const first = await readAll();
    expect(first).toEqual(await listed());
    await sim.snapshots.save('first');
    await call('PATCH', `/v1/contracts/${oldest}`, { order_reference: 'B-1' });
    await call('POST', `/v1/contracts/${newest}/cancel`);
    expect(await readAll()).toEqual(await listed());
    await sim.default.clock.advance('1mo');
    expect(await readAll()).toEqual(await listed());
    await sim.snapshots.restore('first');
    expect(await readAll()).toEqual(first);
  });
});
