/** Flags that every command takes, and what help says of them. */
export const GLOBAL_FLAGS: readonly (readonly [flags: string, summary: string])[] = [
  ['--json', 'print exactly one JSON document; streams: one per line'],
  ['--base-url <url>', 'the service to talk to (LAYAWAY_BASE_URL)'],
  ['--client-id <id>', 'the account to speak for (LAYAWAY_CLIENT_ID)'],
  ['--api-key <key>', 'its key (LAYAWAY_API_KEY)'],
  ['--profile <name>', 'take them from this profile (LAYAWAY_PROFILE)'],
  ['--control-token <token>', 'for levers of the whole server (LAYAWAY_CONTROL_TOKEN)'],
  ['--live', 'send a live key to a server that is not on this machine'],
  ['--debug', 'show stack traces, and which URL and pair are used'],
];
