import { isRecord } from '../../domain/json.ts';
import { latestEmailNote } from '../../domain/latest-email.ts';
import * as operations from '../../operations/emails.ts';
import { FILTER, type Form, refuseWrong } from '../../options.ts';
import { asker, type Connection, dataOf } from '../client.ts';
import { finder, type Replacements } from '../since.ts';
import { first, PATIENCE, type Patience, type Waiting } from '../wait.ts';
import type { Email, ListOptions } from '../wire.ts';

// An alias, which the declarations of whoever exports the result can write out.
type SoughtEmail = Patience & {
  readonly to?: string;
  readonly reference?: string;
  readonly after?: string;
  readonly subject?: RegExp;
};

const SOUGHT_EMAIL: Readonly<Record<string, Form>> = {
  to: FILTER,
  reference: FILTER,
  after: FILTER,
  subject: { what: 'a regular expression', is: (value) => Object.prototype.toString.call(value) === '[object RegExp]' },
};

export function emailLevers(connection: Connection, waiting: Waiting, replacements: Replacements) {
  const ask = asker(connection);
  const listEmails = (query: ListOptions & { readonly to?: string; readonly reference?: string } = {}) =>
    ask(operations.listEmails, { query }).then(dataOf);
  /** The latest email like this, otherwise the latest one. */
  async function latestEmail(narrow: { readonly to?: string; readonly reference?: string }): Promise<string> {
    const [email] = [...(await listEmails({ ...narrow, limit: 1 })), ...(await listEmails({ limit: 1 }))];
    return ` ${latestEmailNote(email)}`;
  }
  async function waitForEmail(options: SoughtEmail = {}, ...others: readonly unknown[]): Promise<Email> {
    // `events.wait` takes its options last, and callers without types do the same here.
    if (others.some(isRecord)) {
      throw new TypeError('emails.wait takes one object, with timeoutMs beside what it looks for.');
    }
    refuseWrong(options, { ...PATIENCE, ...SOUGHT_EMAIL }, 'emails.wait');
    const { timeoutMs, after, subject, ...narrow } = options;
    const sought = [
      `to ${narrow.to ?? 'anyone'}`,
      ...(narrow.reference === undefined ? [] : [`about ${narrow.reference}`]),
      ...(subject === undefined ? [] : [`with a subject like ${subject}`]),
    ];
    return first(
      waiting,
      `email ${sought.join(' ')}`,
      finder(
        (cursor) => listEmails({ ...narrow, ...cursor }),
        listEmails,
        (email) => subject === undefined || email.subject.search(subject) >= 0,
        after,
        replacements,
      ),
      timeoutMs,
      () => latestEmail(narrow),
    );
  }
  return {
    list: listEmails,
    get: (id: string) => ask(operations.getEmail, { params: { id } }).then(dataOf),
    /**
     * The latest email like this, or the next one when there is none yet; with `after`, the first one since.
     * @throws Error when none comes within `timeoutMs`
     */
    wait: waitForEmail as (options?: SoughtEmail) => Promise<Email>,
  };
}
