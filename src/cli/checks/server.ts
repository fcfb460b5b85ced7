import { matchesRequest } from '../../domain/faults.ts';
import { counted } from '../../domain/text.ts';
import { disabledFor, OPENED } from '../../domain/webhook.ts';
import { getClock } from '../../operations/clock.ts';
import { WHOLE_LIST } from '../../operations/list-query.ts';
import { ping } from '../../operations/service.ts';
import { listDeliveries, listWebhookEndpoints } from '../../operations/webhooks.ts';
import type { Ping, WebhookEndpoint } from '../../operations/wire.ts';
import { getPlatform } from '../../operations/workspace.ts';
import { CommandError, EXIT, Refused, Unreachable } from '../exit.ts';
import { pasted } from '../input/shell-quoted.ts';
import { type AddressFlags, DEFAULT, overruledLine } from '../server/address.ts';
import type { Client } from '../server/client.ts';
import { tokenLine } from '../server/refusal.ts';
import { FAULTED } from '../server/transport.ts';
import { waitingFaults } from '../server/waiting-faults.ts';
import { answerOf } from '../show/delivery.ts';
import { instant } from '../terminal/format.ts';
import { adviceIfUnreached } from '../unreached.ts';
import { broken, type Check, well } from './check.ts';
import { checkRoutes } from './routes.ts';

/** Checks the server that commands from here talk to. */
export async function checkServer(client: Client, flags: AddressFlags): Promise<Check[]> {
  const address = await client.address();
  const { baseUrl, from } = address;
  try {
    return [
      well('server', `${baseUrl} answers (${from.baseUrl})`),
      ...(await account(client)),
      ...(await simulator(client)),
    ];
  } catch (caught) {
    // An answer of an unexpected form is explained, too.
    const error = caught instanceof CommandError ? caught : await client.explain(caught);
    if (!(error instanceof CommandError) || error.code === EXIT.usage) throw error;
    // Without a given address, a server that does not run yet is not a fault.
    const isAwaited = from.baseUrl === DEFAULT && flags.baseUrl === undefined && error instanceof Unreachable;
    if (isAwaited) return [well('server', `no server runs at ${baseUrl}`, 'Start it with `layaway serve`.')];
    return [broken('server', error.message, overruledLine(address) ?? `The address came from ${from.baseUrl}.`)];
  }
}

/** Checks the pair and, where it is accepted, the clock of this machine. */
async function account(client: Client): Promise<Check[]> {
  const { clientId, from } = await client.address();
  const waiting = await waitingFaults(client);
  // A request from here would use up a fault that waits for such a request of the store.
  const count = waiting?.faults.filter((fault) => matchesRequest(fault, PING)).length ?? 0;
  if (waiting && count > 0) {
    const place = `not tried on /v1, where ${counted(count, 'fault')} may strike it`;
    return [
      well('key', `belongs to ${clientId} (${from.apiKey}); ${place}`, 'To see the faults, run `layaway faults list`.'),
      await ownTime(timeIn(waiting.headers)),
    ];
  }
  try {
    const { body, headers } = await client.call(ping);
    return [key(body.data, from.apiKey), await ownTime(timeIn(headers))];
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return [broken('key', error.message, adviceOnKey(error))];
  }
}

const PING = { operation: ping.operationId, method: ping.method, path: ping.path };

/** By the status of the refusal. */
const ADVICE_ON_KEY: Readonly<Record<number, string>> = {
  401: 'Use the pair that `layaway serve` printed; `layaway config list` shows the stored one.',
  403: 'The pair is right. `layaway assumptions list` shows clearance and account_status; `layaway keys list` shows scopes.',
};
const NOT_CHECKED = 'The pair was not checked.';

function adviceOnKey({ status, message }: Refused): string {
  // A proxy may put another Host into each request. The message says what to do.
  if (message.startsWith('This host is not allowed.')) return NOT_CHECKED;
  return ADVICE_ON_KEY[status] ?? (status >= 500 ? NOT_CHECKED : `${NOT_CHECKED} ${FAULTED}`);
}

function key({ client_id, layaway }: Ping, from: string): Check {
  const speaksFor = `belongs to ${client_id} (${from})`;
  if (layaway.available) return well('key', speaksFor);
  return well(
    'key',
    `${speaksFor}; layaway is unavailable: ${layaway.reason}`,
    'layaway assumptions list shows the values that decide this.',
  );
}

/** Checks the control token, if there is one. An exported token stays after its server has ended. */
async function token(client: Client): Promise<Check[]> {
  const address = await client.address();
  if (address.controlToken === null) return [];
  try {
    await client.call(getPlatform);
    return [well('token', `the control token from ${address.from.controlToken} is accepted`)];
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 401) throw error;
    return [broken('token', `the control token from ${address.from.controlToken} is refused`, tokenLine(address))];
  }
}

/** Receivers compare the timestamp of a webhook with their own clock (decisions §6). */
const TOLERANCE_MS = 300_000;

const timeIn = ({ date }: { readonly date?: unknown }) => Date.parse(String(date));

async function ownTime(serverTime: number): Promise<Check> {
  const { realTime } = await import('../../time/real.ts');
  const awayMs = Math.abs(realTime.now() - serverTime);
  if (Number.isNaN(awayMs) || awayMs < TOLERANCE_MS) return well('time', 'this machine and the server agree');
  return broken(
    'time',
    `this machine and the server are ${Math.round(awayMs / 1000)} seconds apart`,
    'Correct both clocks. Otherwise webhook signatures look too old or too new.',
  );
}

/**
 * Checks what only a simulator has. It is not a fault that a server has no control plane, as the service itself has
 * none.
 */
async function simulator(client: Client): Promise<Check[]> {
  const { baseUrl } = await client.address();
  try {
    const clock = (await client.call(getClock)).body.data;
    const reads = `${clock.mode} at ${instant(clock.now)}`;
    const advice = clock.mode === 'frozen' ? 'Move it with `layaway clock advance 14d`.' : null;
    const endpoints = (await client.call(listWebhookEndpoints, WHOLE_LIST)).body.data;
    const before = [...(await token(client)), well('clock', reads, advice), ...(await checkRoutes(client))];
    if (endpoints.length === 0) {
      const none = well('webhooks', 'no endpoints', 'To receive events, run `layaway listen --forward-to <url>`.');
      return [...before, none];
    }
    return [...before, ...(await Promise.all(endpoints.map((each) => endpoint(client, each))))];
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return error.status === 404 ? [well('clock', `${baseUrl} is not a simulator; its clock shows real time`)] : [];
  }
}

async function endpoint(client: Client, of: WebhookEndpoint): Promise<Check> {
  const { id, url, enabled, disabled_reason, disconnected_at, owed } = of;
  const again = `Run \`layaway listen --forward-to ${pasted(url)}\`, or \`layaway webhooks remove ${pasted(id)}\`.`;
  if (!enabled) {
    const why = disabledFor(disabled_reason);
    if (disabled_reason === OPENED) {
      return well('webhooks', `${url} is ${why}`, 'A server that shows a trace sends nothing.');
    }
    if (disconnected_at !== null) return well('webhooks', `${url} is disconnected, ${why}`, again);
    return broken(
      'webhooks',
      `${url} is ${why}`,
      `When it works again, run \`layaway webhooks enable ${pasted(id)}\`.`,
    );
  }
  if (disconnected_at !== null) {
    const waiting = owed === 0 ? 'no events wait' : `${counted(owed, 'event')} waiting`;
    return well('webhooks', `${url} is disconnected: no \`layaway listen\` runs for it; ${waiting}`, again);
  }
  const { body } = await client.call(listDeliveries, { query: { endpoint_id: id, limit: 1 } });
  const attempt = body.data[0]?.attempts.at(-1);
  if (!attempt || body.data[0]?.status === 'delivered') return well('webhooks', `${url} is enabled`);
  const advice = adviceIfUnreached(url, attempt.error, { inContainer: null }) ?? 'Check the receiver.';
  return broken(
    'webhooks',
    `the last delivery to ${url} failed: ${answerOf(attempt.status_code, attempt.error)}`,
    `${advice} Then run \`layaway webhooks test ${pasted(id)}\`.`,
  );
}
