import type { Figure } from '../figure.ts';
import { bareServer, simulator, temporaryDirectory } from '../process.ts';
import { anOrder, call, get, makeContract } from '../requests.ts';
import { throughput } from './throughput.ts';

/** So many are read in turn. */
const COUNT = 500;

/** A contract with its schedule against one row by its primary key. */
export const contractRead: Figure = async (bench) => {
  using directory = temporaryDirectory();
  await using ours = await simulator(directory.path);
  await using bare = await bareServer(directory.path);
  const contracts: string[] = [];
  const orders: string[] = [];
  for (let count = 0; count < COUNT; count += 1) {
    contracts.push(`/v1/contracts/${await makeContract(ours)}`);
    const { data } = await call<{ data: { id: number } }>(bare, 'POST', '/orders', anOrder);
    orders.push(`/orders/${data.id}`);
  }
  return await throughput(bench, {
    name: 'contract read',
    atLeast: 0.7,
    ours: { server: ours, request: get(contracts, ours) },
    reference: { server: bare, request: get(orders, ours) },
  });
};
