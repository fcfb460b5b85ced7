/** The flags of every command, with their help. */
export const GLOBAL_FLAGS: readonly (readonly [flags: string, summary: string])[] = [
  ['--json', 'print one JSON document; streams print one per line'],
  ['--base-url <url>', 'URL of the service (LAYAWAY_BASE_URL)'],
  ['--client-id <id>', 'client id of the account (LAYAWAY_CLIENT_ID)'],
  ['--api-key <key>', 'API key of the account (LAYAWAY_API_KEY)'],
  ['--profile <name>', 'use the URL and the pair of this profile (LAYAWAY_PROFILE)'],
  ['--control-token <token>', 'control token of the server (LAYAWAY_CONTROL_TOKEN)'],
  ['--live', 'allow sending a live key to another machine'],
  ['--debug', 'show stack traces and the URL and pair in use'],
];

export const VERSION_FLAG = ['-V, --version', 'print the version'] as const;
