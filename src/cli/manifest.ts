import type { Command } from 'commander';

/** A noun: its line in `layaway --help`, and how to load its verbs. */
export interface Noun {
  readonly name: string;
  readonly summary: string;
  /** For programs: left out of help and completion. */
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
    summary: 'run a command against its own simulator',
    load: () => import('./commands/exec.ts'),
  },
  {
    name: 'env',
    summary: 'print the variables that connect a store to the server',
    load: () => import('./commands/env.ts'),
  },
  {
    name: 'run',
    summary: 'play scenario files and check their expectations',
    load: () => import('./commands/run.ts'),
  },
  {
    name: 'sessions',
    summary: 'create checkout sessions and go through checkout as the customer',
    load: () => import('./commands/sessions.ts'),
  },
  {
    name: 'contracts',
    summary: 'create, read, update and cancel contracts; arrange and settle payments',
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
    summary: 'forward events to a URL that this machine can reach',
    load: () => import('./commands/listen.ts'),
  },
  {
    name: 'webhooks',
    summary: 'manage endpoints and inspect deliveries',
    load: () => import('./commands/webhooks.ts'),
  },
  {
    name: 'certify',
    summary: 'examine the webhook endpoint of your store',
    load: () => import('./commands/certify.ts'),
  },
  {
    name: 'new',
    summary: 'write a webhook receiver for your framework, and its test',
    load: () => import('./commands/new.ts'),
  },
  {
    name: 'deliveries',
    summary: 'inspect deliveries and their attempts',
    load: () => import('./commands/deliveries.ts'),
  },
  {
    name: 'faults',
    summary: 'rehearse lost responses, errors, duplicate and late webhooks',
    load: () => import('./commands/faults.ts'),
  },
  {
    name: 'coverage',
    summary: 'show what the store has met, and what it does wrong',
    load: () => import('./commands/coverage.ts'),
  },
  {
    name: 'emails',
    summary: 'read and wait for the emails that the service would send',
    load: () => import('./commands/emails.ts'),
  },
  {
    name: 'merchants',
    summary: 'create, list and update merchants',
    load: () => import('./commands/merchants.ts'),
  },
  {
    name: 'keys',
    summary: 'create, list and revoke API keys',
    load: () => import('./commands/keys.ts'),
  },
  {
    name: 'assumptions',
    summary: 'list and change the values that the service description leaves open',
    load: () => import('./commands/assumptions.ts'),
  },
  {
    name: 'import',
    summary: 'copy the names, terms and availability of the real service',
    load: () => import('./commands/import.ts'),
  },
  {
    name: 'compare',
    summary: 'compare this server with the real service',
    load: () => import('./commands/compare.ts'),
  },
  {
    name: 'snapshots',
    summary: 'save and restore the state of the server',
    load: () => import('./commands/snapshots.ts'),
  },
  {
    name: 'reset',
    summary: 'reset the server to its initial state',
    load: () => import('./commands/reset.ts'),
  },
  {
    name: 'logs',
    summary: 'show requests to the service',
    load: () => import('./commands/logs.ts'),
  },
  {
    name: 'explain',
    summary: 'explain why something happened, from any id',
    load: () => import('./commands/explain.ts'),
  },
  {
    name: 'trace',
    summary: 'save the sandbox in one file and open it elsewhere',
    load: () => import('./commands/trace.ts'),
  },
  {
    name: 'config',
    summary: 'store addresses and keys in named profiles',
    load: () => import('./commands/config.ts'),
  },
  {
    name: 'openapi',
    summary: 'print the OpenAPI document of the service',
    load: () => import('./commands/openapi.ts'),
  },
  {
    name: 'schema',
    summary: 'print the JSON Schema of what a command prints with --json',
    load: () => import('./commands/schema.ts'),
  },
  {
    name: 'mcp',
    summary: 'offer the levers as tools of the Model Context Protocol',
    load: () => import('./commands/mcp.ts'),
  },
  {
    name: 'dashboard',
    summary: 'open the dashboard in the browser, signed in',
    load: () => import('./commands/dashboard.ts'),
  },
  {
    name: 'doctor',
    summary: 'check this machine and the server',
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'completion',
    summary: 'print completions for bash, zsh or fish',
    load: () => import('./commands/completion.ts'),
  },
  {
    name: '__complete',
    summary: 'list ids of the server for shell completion',
    hidden: true,
    load: () => import('./commands/complete.ts'),
  },
];
