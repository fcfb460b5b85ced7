import type { Account } from '../domain/merchant.ts';
import { type Endpoint, isSameReceiver } from '../domain/webhook.ts';
import type { Verbs } from '../engine/engine.ts';
import type { Store } from '../store/store.ts';
import type { Start } from './content.ts';

/** What was asked for that a state directory already decides. */
export function notesOnKept({ clock, seed, fixture }: Start['options']): string[] {
  const notes: string[] = [];
  if (clock || seed !== undefined) {
    notes.push('The state directory keeps its own clocks and seed; a given clock or seed applies only to a new one.');
  }
  if (fixture !== undefined) {
    notes.push('The state directory keeps its content; the fixture applies to a new one, and after a reset.');
  }
  return notes;
}

/** What keeps a receiver of the server's from getting each event once. */
export const notesOnReceiver = (store: Pick<Store, 'endpoints'>, engine: Verbs, account: Account, url: string) => [
  ...noteOnDisabled(engine.findReceiver(account, url), url),
  ...noteOnTwice(store.endpoints.list(account.id), url),
];

function noteOnDisabled(endpoint: Endpoint | undefined, url: string): string[] {
  if (endpoint?.enabled !== false) return [];
  const { token, disabledReason } = endpoint;
  return [
    `Nothing is sent to ${url}: ${disabledReason}. To enable the endpoint again: layaway webhooks enable ${token}`,
  ];
}

/** A listening process forwards to the receiver as well. */
const noteOnTwice = (endpoints: readonly Endpoint[], url: string) =>
  endpoints
    .filter((each) => each.transport === 'listener' && each.enabled && isSameReceiver(each.url, url))
    .map(
      ({ token }) =>
        `A \`layaway listen\` forwards to ${url} too: your receiver gets each event twice. To stop that, run \`layaway webhooks remove ${token}\`.`,
    );
