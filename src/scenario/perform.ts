import { earliestOverdue } from '../domain/installment.ts';
import { wrongPart } from '../headers.ts';
import type { Contract, Platform } from '../library/wire.ts';
import { settleInstallment } from '../operations/contracts.ts';
import { isOtherPath } from '../operations/operation.ts';
import { getContract } from '../operations/service.ts';
import { createWebhookEndpoint } from '../operations/webhooks.ts';
import { getPlatform, updatePlatform } from '../operations/workspace.ts';
import type { AccountReader } from './account-reader.ts';
import { contents, interpolate, place } from './interpolate.ts';
import { openReceiver, type Receiver } from './receiver.ts';
import type { Changing } from './result.ts';
import { type Step, type StepInput, verbOf } from './schema.ts';
import type { Answer, Request, Stage } from './stage.ts';
import { StepFailed } from './step-failed.ts';
import { SENDS } from './verbs.ts';
import { waitFor } from './wait.ts';

/** Does what the steps say, whatever they expect. `scope` has the answers so far by their names. */
export function createPerformer(stage: Stage, account: AccountReader, scope: Map<string, unknown>) {
  const receivers: Receiver[] = [];
  /** Whoever reads the answers adds the instants in them. */
  const changing: Changing[] = addressed(stage.url, place('server.url'));
  let platformBefore: Platform | undefined;
  let hasEndpoints = false;

  async function perform(step: Step): Promise<Answer> {
    const verb = verbOf(step);
    const input = interpolate(step[verb], scope);
    refuseNoId(step[verb] as Fields, input as Fields);
    switch (verb) {
      case 'receiver': {
        const receiver = await openReceiver(input as number[]);
        receivers.push(receiver);
        changing.push(...addressed(receiver.url, place(`${step.as ?? 'receiver'}.url`)));
        if (step.as !== undefined) scope.set(step.as, { url: receiver.url });
        return { status: 200, headers: {}, body: null };
      }
      case 'wait':
        return waitFor(input as StepInput<'wait'>, account, stage.waiting);
      case 'settle':
        return settle(input as StepInput<'settle'>);
      case 'request':
        return sendAny(input as StepInput<'request'>);
      default: {
        if (verb === 'platform') platformBefore ??= (await account.ask(getPlatform)).data;
        const { operation, ...call } = SENDS[verb](input as never);
        refuseWrong(call.headers);
        hasEndpoints ||= operation === createWebhookEndpoint;
        return stage.call(operation, call);
      }
    }
  }

  function sendAny(input: StepInput<'request'>): Promise<Answer> {
    const request = requestTo(stage.url, input);
    refuseWrong(request.headers);
    if (!request.path.startsWith('/')) {
      throw new StepFailed(
        `${request.path} is not on ${stage.url}: a request goes to the simulator itself. To send a request to your store, write a test of your own.`,
      );
    }
    hasEndpoints ||= request.path.startsWith(createWebhookEndpoint.path);
    return stage.send(request);
  }

  async function settle({ contract: reference, installment }: StepInput<'settle'>): Promise<Answer> {
    const settled = (number: number | string) =>
      stage.call(settleInstallment, { params: { reference, number: String(number) } });
    if (installment !== undefined) return settled(installment);
    const found = await stage.call(getContract, { params: { reference } });
    if (found.status >= 400 || found.isLost) return found;
    const number = earliestOverdue((resourceOf(found.body) as Contract).installments)?.installment_number;
    if (!number) throw new StepFailed(`No installment of ${reference} is overdue, so there is nothing to settle.`);
    return settled(number);
  }

  /** Undoes what concerns others. */
  async function leave() {
    try {
      if (platformBefore) await stage.call(updatePlatform, { body: platformBefore });
    } finally {
      await Promise.all(receivers.map((receiver) => receiver.close()));
    }
  }

  return { perform, leave, changing, hasEndpoints: () => hasEndpoints };
}

type Fields = Readonly<Record<string, unknown>>;

/** A value that is not an id would not be found, or would lead to another path. */
function refuseNoId(written: Fields, input: Fields) {
  for (const name of ['session', 'contract']) {
    if (!Object.hasOwn(input, name)) continue;
    const id = input[name];
    if (typeof id !== 'string') throw new StepFailed(`${written[name]} is not an id: it ${contents(id)}.`);
    if (isOtherPath(id)) throw new StepFailed(`${name} is "${id}", which is not an id.`);
  }
}

/** Those that hold an answer's text are only known now. */
function refuseWrong(headers: Request['headers'] = {}) {
  for (const [name, value] of Object.entries(headers)) {
    const part = value === null ? null : wrongPart(name, value);
    if (part) throw new StepFailed(`HTTP does not allow the ${part} of the header ${name}.`);
  }
}

/** An address and, because headers name it without the rest, its host with the port. */
function addressed(url: string, called: string): Changing[] {
  const { host, port } = new URL(url);
  return [[url, called], ...(port === '' ? [] : ([[host, '…']] as const))];
}

/** The request of a step. A whole URL of this server becomes a path. */
const requestTo = (url: string, { method, path, headers = {}, body }: StepInput<'request'>): Request => ({
  method,
  path: path === url ? '/' : path.startsWith(`${url}/`) ? path.slice(url.length) : path,
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value === null ? null : String(value)]),
  ),
  ...(body === undefined || body === null ? {} : { body }),
});

/** The resource of an answer if it has one, otherwise the whole body. */
export function resourceOf(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'data' in body ? body.data : body;
}
