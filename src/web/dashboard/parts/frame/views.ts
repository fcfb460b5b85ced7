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
  readonly view: string;
  readonly at: string;
}

export const LEVERS: readonly Place[] = [
  { title: 'Travel to the next due event', view: 'clock', at: 'Next due event' },
  { title: 'Travel by a duration', view: 'clock', at: 'By a duration' },
  { title: 'Travel to an instant', view: 'clock', at: 'To an instant' },
  { title: 'Travel until a condition holds', view: 'clock', at: 'Until a condition holds' },
  { title: 'Freeze the clock', view: 'clock', at: 'Freeze' },
  { title: 'Resume the clock', view: 'clock', at: 'Resume' },
  { title: 'Open a new session', view: 'sessions', at: 'New session' },
  { title: 'Open a preview of the checkout', view: 'sessions', at: 'Open preview' },
  { title: 'Create a contract in any state', view: 'contracts', at: 'Create contract' },
  { title: 'Add a webhook endpoint', view: 'webhooks', at: 'Send events to' },
  { title: 'Resend all failed deliveries', view: 'webhooks', at: 'Resend all failed' },
  { title: 'Arm a fault', view: 'faults', at: 'Kind' },
  { title: 'Change settings', view: 'settings', at: 'Settings' },
  { title: 'Create an API key', view: 'settings', at: 'Name of a new key' },
  { title: 'Save a snapshot', view: 'snapshots', at: 'Save everything as' },
  { title: 'Reset the workspace', view: 'snapshots', at: 'Reset workspace' },
];
