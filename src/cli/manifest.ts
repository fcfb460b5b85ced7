import type { Command } from 'commander';

/** One noun: what `layaway --help` says of it, and where its verbs are once it is asked for. */
export interface Noun {
  readonly name: string;
  readonly summary: string;
  /** For programs: works, and is told of nowhere. */
  readonly hidden?: true;
  /** Gives the noun its verbs, options and help; loaded only when the noun is typed. */
  load(): Promise<{ default(noun: Command): void }>;
}

export const MANIFEST: readonly Noun[] = [
  {
    name: 'serve',
    summary: 'run the simulator on this machine',
    load: () => import('./commands/serve.ts'),
  },
  {
    name: 'exec',
    summary: 'run a command beside a simulator of its own',
    load: () => import('./commands/exec.ts'),
  },
  {
    name: 'run',
    summary: 'play scenario files and check what they expect',
    load: () => import('./commands/run.ts'),
  },
  {
    name: 'sessions',
    summary: 'open checkout sessions and walk the customer through them',
    load: () => import('./commands/sessions.ts'),
  },
  {
    name: 'contracts',
    summary: 'read, correct and cancel contracts; arrange and settle payments',
    load: () => import('./commands/contracts.ts'),
  },
  {
    name: 'clock',
    summary: 'read and move the account clock',
    load: () => import('./commands/clock.ts'),
  },
  {
    name: 'events',
    summary: 'read, follow and wait for events',
    load: () => import('./commands/events.ts'),
  },
  {
    name: 'listen',
    summary: 'forward events to a URL that this machine reaches',
    load: () => import('./commands/listen.ts'),
  },
  {
    name: 'webhooks',
    summary: 'say where events are sent, and see how that went',
    load: () => import('./commands/webhooks.ts'),
  },
  {
    name: 'emails',
    summary: 'read and wait for the e-mails that would have been sent',
    load: () => import('./commands/emails.ts'),
  },
  {
    name: 'merchants',
    summary: 'create and list merchants, change the merchant’s details',
    load: () => import('./commands/merchants.ts'),
  },
  {
    name: 'keys',
    summary: 'issue, list and revoke API keys',
    load: () => import('./commands/keys.ts'),
  },
  {
    name: 'assumptions',
    summary: 'list and change what the service description leaves open',
    load: () => import('./commands/assumptions.ts'),
  },
  {
    name: 'snapshots',
    summary: 'save and restore the whole state',
    load: () => import('./commands/snapshots.ts'),
  },
  {
    name: 'reset',
    summary: 'return the whole state to how it started',
    load: () => import('./commands/reset.ts'),
  },
  {
    name: 'logs',
    summary: 'see what requests hit the service',
    load: () => import('./commands/logs.ts'),
  },
  {
    name: 'config',
    summary: 'keep addresses and keys in named profiles',
    load: () => import('./commands/config.ts'),
  },
  {
    name: 'openapi',
    summary: 'print the OpenAPI document of the service',
    load: () => import('./commands/openapi.ts'),
  },
  {
    name: 'dashboard',
    summary: 'open the dashboard in the browser, signed in',
    load: () => import('./commands/dashboard.ts'),
  },
  {
    name: 'doctor',
    summary: 'check this machine and the server, and say what to do',
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'completion',
    summary: 'print completions for bash, zsh or fish',
    load: () => import('./commands/completion.ts'),
  },
  {
    name: '__complete',
    summary: 'list what the server has, for shell completion',
    hidden: true,
    load: () => import('./commands/complete.ts'),
  },
];
