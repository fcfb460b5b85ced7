import { type Command, Option } from 'commander';
import { counted } from '../../domain/text.ts';
import { getClock } from '../../operations/clock.ts';
import { ping } from '../../operations/service.ts';
import { type Cli, run } from '../command.ts';
import { currentFolder } from '../current-folder.ts';
import { describe } from '../describe.ts';
import { isRefusal, Refused, Unreachable, unmet } from '../exit.ts';
import { timeoutMs } from '../input/arguments.ts';
import { SETTING_LINES } from '../input/shell-quoted.ts';
import { DEFAULT } from '../server/address.ts';
import { type Client, createClient } from '../server/client.ts';
import { isSimulator } from '../server/health.ts';
import { accountOf } from '../server/merchants.ts';
import { nearestServer, recordOf } from '../server/nearest-server.ts';
import { withProgress } from '../terminal/progress.ts';
import { until } from '../wait.ts';

interface Flags {
  readonly format: keyof typeof SETTING_LINES;
  readonly wait?: number;
}

export default function env(command: Command) {
  describe(
    command,
    'Print the LAYAWAY_* variables that connect a store to the server that other commands use.',
    'layaway env --format dotenv > .env.layaway',
    'In a shell: eval "$(layaway env)". In PowerShell: layaway env --format powershell | Invoke-Expression. The server of this folder takes precedence over variables that are already set. Variables whose values are not known are left out: the live pair and, without the control token of the server, the webhook secret.',
  )
    .addOption(
      new Option('--format <format>', 'lines for a shell, for PowerShell, or for a .env file or $GITHUB_ENV')
        .choices(Object.keys(SETTING_LINES))
        .default('shell'),
    )
    .option('--wait <span>', 'wait this long for a server that is starting in this folder', timeoutMs)
    .action(run(work));
}

async function work({ out, flags }: Cli, { format, wait }: Flags) {
  const silent = () => undefined;
  const isServed = wait !== undefined || nearestServer() !== null;
  const connect = (note: (text: string) => void = silent) =>
    createClient(flags, flags.debug ? note : silent, note, isServed ? withoutAddress(process.env) : process.env);
  const client = connect(out.note);
  await (wait === undefined ? greet(client) : withProgress('Waiting', started(connect, wait)));
  const variables = await variablesOf(client);
  if (!('LAYAWAY_WEBHOOK_SECRET' in variables) && (await isSimulator((await client.address()).baseUrl))) {
    out.note(
      'LAYAWAY_WEBHOOK_SECRET is left out: it needs the control token of the server. Run this command in the folder of `layaway serve`, or use --control-token. `layaway listen --print-secret` prints the secret alone.',
    );
  }
  if (out.json) return out.document(JSON.stringify({ data: variables }));
  for (const [name, value] of Object.entries(variables)) out.line(SETTING_LINES[format](name, value));
}

/** The variables may be those of a server that has ended, so the server of this folder comes before them. */
const withoutAddress = ({
  LAYAWAY_BASE_URL: _url,
  LAYAWAY_CLIENT_ID: _id,
  LAYAWAY_API_KEY: _key,
  LAYAWAY_CONTROL_TOKEN: _token,
  ...rest
}: NodeJS.ProcessEnv) => rest;

/**
 * Makes sure that a server answers and that the pair works there. A ping would be logged, and use up a fault that waits
 * for the store; only the service itself has no clock to ask for.
 */
async function greet(client: Client) {
  try {
    await client.call(getClock);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    await client.call(ping).catch((refused: unknown) => {
      // A key of few scopes works, too.
      if (!(refused instanceof Refused) || refused.status !== 403) throw refused;
    });
  }
}

async function started(connect: () => Client, forMs: number) {
  const look = async () => {
    const client = connect();
    if ((await awaitedUrl(client)) === null) return null;
    try {
      await greet(client);
      return true;
    } catch (error) {
      if (error instanceof Unreachable) return null;
      throw error;
    }
  };
  if ((await until(look, forMs)) !== null) return;
  const url = await awaitedUrl(connect());
  const what = url === null ? 'No server that was started in this folder answered' : `Nothing answered at ${url}`;
  throw unmet(`${what} within ${counted(forMs / 1000, 'second')}.`);
}

/**
 * The URL that was given, or that of the server of this folder; null while there is none. A server of a folder above is
 * not meant, nor is one that happens to be at the default address.
 */
async function awaitedUrl(client: Client): Promise<string | null> {
  const { baseUrl, from } = await client.address();
  const nearest = nearestServer();
  const isOfAbove = from.baseUrl === nearest?.from && nearest.folder !== currentFolder();
  return from.baseUrl === DEFAULT || isOfAbove ? null : baseUrl;
}

/** The variables of interface §2, as far as they are known for this account. */
async function variablesOf(client: Client): Promise<Record<string, string>> {
  const { baseUrl, clientId, apiKey, controlToken } = await client.address();
  const record = recordOf(baseUrl);
  const live = [record?.sandbox, record?.live].some((pair) => pair?.client_id === clientId) ? record?.live : undefined;
  const account = await accountOf(client);
  return {
    LAYAWAY_BASE_URL: baseUrl,
    LAYAWAY_CLIENT_ID: clientId,
    LAYAWAY_API_KEY: apiKey,
    ...(live ? { LAYAWAY_LIVE_CLIENT_ID: live.client_id, LAYAWAY_LIVE_API_KEY: live.api_key } : {}),
    ...(account ? { LAYAWAY_WEBHOOK_SECRET: account.webhook_secret } : {}),
    ...(controlToken === null ? {} : { LAYAWAY_CONTROL_TOKEN: controlToken }),
  };
}
