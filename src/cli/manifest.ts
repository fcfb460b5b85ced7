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

const noun = (name: string, summary: string, load: Noun['load']): Noun => ({ name, summary, load });

/** By their headings in `layaway --help`. */
export const GROUPS: Readonly<Record<string, readonly Noun[]>> = {
  Server: [
    noun('serve', 'run the simulator on this machine', () => import('./commands/serve.ts')),
    noun('exec', 'run a command against its own simulator', () => import('./commands/exec.ts')),
    noun('env', 'print the variables that connect a store to the server', () => import('./commands/env.ts')),
    noun('dashboard', 'open the dashboard in the browser, signed in', () => import('./commands/dashboard.ts')),
    noun('doctor', 'check this machine and the server', () => import('./commands/doctor.ts')),
    noun('snapshots', 'save and restore the state of the server', () => import('./commands/snapshots.ts')),
    noun('reset', 'reset the server to its initial state', () => import('./commands/reset.ts')),
  ],
  'Checkouts and time': [
    noun(
      'sessions',
      'create checkout sessions and go through checkout as the customer',
      () => import('./commands/sessions.ts'),
    ),
    noun(
      'contracts',
      'create, read, update and cancel contracts; arrange and settle payments',
      () => import('./commands/contracts.ts'),
    ),
    noun('clock', 'read and move the account clock', () => import('./commands/clock.ts')),
    noun('run', 'play scenario files and check their expectations', () => import('./commands/run.ts')),
  ],
  'Webhooks and email': [
    noun('listen', 'forward events to a URL that this machine can reach', () => import('./commands/listen.ts')),
    noun('webhooks', 'manage endpoints and inspect deliveries', () => import('./commands/webhooks.ts')),
    noun('deliveries', 'inspect deliveries and their attempts', () => import('./commands/deliveries.ts')),
    noun('events', 'read, follow and wait for events', () => import('./commands/events.ts')),
    noun('emails', 'read and wait for the emails that the service would send', () => import('./commands/emails.ts')),
  ],
  'Your integration': [
    noun('certify', 'examine the webhook endpoint of your store', () => import('./commands/certify.ts')),
    noun('new', 'write a webhook receiver for your framework, and its test', () => import('./commands/new.ts')),
    noun(
      'faults',
      'rehearse lost responses, errors, duplicate and late webhooks',
      () => import('./commands/faults.ts'),
    ),
    noun('coverage', 'show what the store has met, and what it does wrong', () => import('./commands/coverage.ts')),
  ],
  Diagnosis: [
    noun('explain', 'explain why something happened, from any id', () => import('./commands/explain.ts')),
    noun('logs', 'show requests to the service', () => import('./commands/logs.ts')),
    noun('trace', 'save the sandbox in one file and open it elsewhere', () => import('./commands/trace.ts')),
  ],
  'Merchants and settings': [
    noun('merchants', 'create, list and update merchants', () => import('./commands/merchants.ts')),
    noun('keys', 'create, list and revoke API keys', () => import('./commands/keys.ts')),
    noun(
      'assumptions',
      'list and change the values that the service description leaves open',
      () => import('./commands/assumptions.ts'),
    ),
    noun('config', 'store addresses and keys in named profiles', () => import('./commands/config.ts')),
  ],
  'The real service': [
    noun('import', 'copy the names, terms and availability of the real service', () => import('./commands/import.ts')),
    noun('compare', 'compare this server with the real service', () => import('./commands/compare.ts')),
  ],
  'For shells and programs': [
    noun('completion', 'print completions for bash, zsh or fish', () => import('./commands/completion.ts')),
    noun('schema', 'print the JSON Schema of what a command prints with --json', () => import('./commands/schema.ts')),
    noun('openapi', 'print the OpenAPI document of the service', () => import('./commands/openapi.ts')),
    noun('mcp', 'offer the levers as tools of the Model Context Protocol', () => import('./commands/mcp.ts')),
  ],
};

export const MANIFEST: readonly Noun[] = [
  ...Object.values(GROUPS).flat(),
  {
    ...noun('__complete', 'list ids of the server for shell completion', () => import('./commands/complete.ts')),
    hidden: true,
  },
];
