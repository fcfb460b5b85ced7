/** The views of the menu. `g` and the key open one. */
export const VIEWS: readonly (readonly [view: string, label: string, key: string])[] = [
  ['', 'Overview', 'o'],
  ['clock', 'Clock', 'k'],
  ['sessions', 'Sessions', 's'],
  ['contracts', 'Contracts', 'c'],
  ['events', 'Events', 'e'],
  ['webhooks', 'Webhooks', 'w'],
  ['faults', 'Faults', 'f'],
  ['coverage', 'Coverage', 'v'],
  ['inbox', 'Inbox', 'i'],
  ['requests', 'Requests', 'r'],
  ['settings', 'Settings', 't'],
  ['snapshots', 'Snapshots', 'p'],
];

/** An action, its view, and the name of its button or field there. */
export interface Place {
  readonly title: string;
  /** Other words that find it, such as those of the command. */
  readonly also?: string;
  readonly view: string;
  readonly at: string;
}

const TIME = 'advance move clock time forward';

export const LEVERS: readonly Place[] = [
  { title: 'Travel to the next due event', also: TIME, view: 'clock', at: 'Next due event' },
  { title: 'Travel by a duration', also: TIME, view: 'clock', at: 'By a duration' },
  { title: 'Travel to an instant', also: TIME, view: 'clock', at: 'To an instant' },
  { title: 'Travel until a condition holds', also: TIME, view: 'clock', at: 'Until a condition holds' },
  { title: 'Freeze the clock', also: 'stop time', view: 'clock', at: 'Freeze' },
  { title: 'Resume the clock', also: 'start time', view: 'clock', at: 'Resume' },
  { title: 'Open a new session', also: 'create checkout', view: 'sessions', at: 'New session' },
  { title: 'Open a preview of the checkout', view: 'sessions', at: 'Open preview' },
  { title: 'Create a contract in any state', also: 'new', view: 'contracts', at: 'Create contract' },
  { title: 'Add a webhook endpoint', also: 'create', view: 'webhooks', at: 'Send events to' },
  { title: 'Resend all failed deliveries', view: 'webhooks', at: 'Resend all failed' },
  { title: 'Arm a fault', also: 'add failure error', view: 'faults', at: 'Kind' },
  { title: 'Change settings', also: 'assumptions terms switches', view: 'settings', at: 'Settings' },
  { title: 'Create an API key', also: 'new', view: 'settings', at: 'Name of a new key' },
  { title: 'Save a snapshot', also: 'create', view: 'snapshots', at: 'Save everything as' },
  { title: 'Reset the workspace', also: 'start over', view: 'snapshots', at: 'Reset workspace' },
];
