import { counted } from '../../domain/text.ts';
import { suggestion } from '../../nearest.ts';
import { listRequests } from '../../operations/requests.ts';
import { isServicePath, routesLike } from '../../operations/service.ts';
import { TOOL_HEADER } from '../../operations/tool-header.ts';
import type { Client } from '../server/client.ts';
import { type Check, well } from './check.ts';

/** How many mistaken routes are shown: a store that asks for more makes the same mistake in all of them. */
const TOLD_MAX = 3;

/** Names routes that the store asked for and the service does not have: a store may take their 404 for its own. */
export async function checkRoutes(client: Client): Promise<Check[]> {
  const { data } = (await client.call(listRequests, { query: { status: '404' } })).body;
  const times = new Map<string, number>();
  for (const { method, path, request_headers } of data) {
    // `layaway compare` asks for such a route on purpose.
    if (request_headers[TOOL_HEADER] !== undefined) continue;
    const [pathname = ''] = path.split('?');
    const asked = `${method} ${pathname}`;
    if (!isServicePath(pathname)) times.set(asked, (times.get(asked) ?? 0) + 1);
  }
  return [...times]
    .slice(0, TOLD_MAX)
    .map(([asked, n]) =>
      well(
        'routes',
        `the service has no route ${asked}, which was asked for ${counted(n, 'time')}`,
        suggestion(asked, routesLike(asked)),
      ),
    );
}
