import type { ContractStatus } from '../../domain/contract.ts';
import { findContracts } from '../../operations/contracts.ts';
import { listContracts } from '../../operations/service.ts';
import type { Contract } from '../../operations/wire.ts';
import { isRefusal } from '../exit.ts';
import type { Client } from './client.ts';

/** The contracts of all pages, or of this many, newest first. */
export async function allContracts(
  client: Client,
  status?: ContractStatus,
  pages = Number.POSITIVE_INFINITY,
): Promise<Contract[]> {
  const every = new Map<string, Contract>();
  for (let page = 1, last = 1; page <= Math.min(last, pages); page += 1) {
    const { body } = await client.call(listContracts, { query: { status, page } });
    // A contract that is made meanwhile moves others to the next page.
    for (const contract of body.data) every.set(contract.reference, contract);
    last = body.meta.last_page;
  }
  return [...every.values()];
}

/**
 * The newest contracts, to choose from. Reading them from `/v1` would fill the request log and use up faults that wait
 * for the store, so only the service itself, which has nothing else, is asked for pages.
 */
export async function contractsToOffer(
  client: Client,
  {
    status,
    limit,
    pages,
  }: { readonly status?: ContractStatus | undefined; readonly limit: number; readonly pages: number },
): Promise<readonly Contract[]> {
  try {
    return (await client.call(findContracts, { query: { status, limit } })).body.data;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return allContracts(client, status, pages);
  }
}
