import type { Command } from 'commander';
import { suggestion } from '../../nearest.ts';
import type { Operation } from '../../operations/operation.ts';
import { VERSION } from '../../version.ts';
import { type Cli, onSignals, runUntilStopped } from '../command.ts';
import { describe } from '../describe.ts';
import { CommandError, EXIT, Refused } from '../exit.ts';
import { DEFAULT } from '../server/address.ts';
import { type Client, createClient } from '../server/client.ts';
import { isSimulator } from '../server/health.ts';
import { leave, leaving } from '../terminal/pipes.ts';

export default function mcp(command: Command) {
  describe(
    command,
    'Offer the levers of one account as tools of the Model Context Protocol, over stdin and stdout.',
    'layaway mcp --memory',
    'Uses the server that other commands use. If none is named and none is running, it starts one in memory that ends with it.',
  )
    .option('--memory', 'always start a simulator in memory')
    .action(runUntilStopped(work));
}

async function work({ client, out, flags }: Cli, { memory }: { readonly memory?: true }) {
  const [{ Server }, { StdioServerTransport }, types, { TOOLS, describeTool }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/server/stdio.js'),
    import('@modelcontextprotocol/sdk/types.js'),
    import('../machine/tools.ts'),
  ]);
  const own = memory || (await isAlone(client)) ? await startOwn() : null;
  const address = own ? { ...flags, ...own.address } : flags;
  const debug = flags.debug ? out.note : () => undefined;
  const levers = createClient(address, debug, () => undefined);
  const { baseUrl } = own?.address ?? (await client.address());

  const server = new Server(
    { name: 'layaway', title: 'Layaway sandbox', version: VERSION },
    { capabilities: { tools: {} }, instructions: instructionsAt(baseUrl) },
  );
  const pending = new Set<Promise<unknown>>();
  const names = Object.keys(TOOLS) as (keyof typeof TOOLS)[];
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({ tools: names.map(describeTool) }));
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params: { name, arguments: given = {} } }) => {
    const known = names.find((each) => each === name);
    if (!known) {
      const message = `There is no tool ${name}. ${suggestion(name, names)}`;
      throw new types.McpError(types.ErrorCode.InvalidParams, message);
    }
    const answer = call(levers, known, given);
    pending.add(answer);
    return answer.finally(() => pending.delete(answer));
  });

  const stop = async (exit: () => void) => {
    await own?.close();
    exit();
  };
  onSignals(() => void stop(() => process.exit(EXIT.done)));
  const whenWritten = () => {
    leaving.atOnce = true;
    leave();
  };
  // Whoever reads this may send a signal at once.
  if (own) out.note(`Started a simulator in memory at ${baseUrl}. It ends with this command.`);
  // A client that closes the pipe asks nothing more, but still gets the answers to what it asked.
  process.stdin.on('end', () => void Promise.allSettled(pending).then(() => setImmediate(stop, whenWritten)));
  if (process.stdin.isTTY) out.note(AT_TERMINAL);
  await server.connect(new StdioServerTransport());
}

const AT_TERMINAL =
  'A client of the Model Context Protocol starts this command and talks to it over stdin and stdout. Press Ctrl-C to stop.';

/** Clients show nobody the stderr of a server, so the address of one in memory is known from here alone. */
const instructionsAt = (baseUrl: string) =>
  `A local simulator of the Layaway Checkout Service. Amounts are cents. Open a session, complete it to get a contract, then move the clock to reach any state; nothing is charged. A store reaches it at ${baseUrl}, with the client id that merchant_ping shows and a key of keys_create.`;

/** Nobody named a server, and none runs. */
async function isAlone(client: Client): Promise<boolean> {
  const { baseUrl, from } = await client.address();
  return from.baseUrl === DEFAULT && !(await isSimulator(baseUrl));
}

async function startOwn() {
  const { createSimulator } = await import('../../index.ts');
  const sim = await createSimulator();
  const { url: baseUrl, controlToken } = sim;
  const { clientId, apiKey } = sim.default;
  return { address: { baseUrl, clientId, apiKey, controlToken }, close: () => sim.close() };
}

/** A refusal is an answer too, because it says what the caller should change. */
async function call(client: Client, name: import('../machine/tools.ts').ToolName, given: Record<string, unknown>) {
  const { placed, TOOLS } = await import('../machine/tools.ts');
  const request = placed(name, given);
  if (typeof request === 'string') return failed(request);
  try {
    // The server may have been started again, on another port and with other keys.
    await client.findAgain();
    const operation: Operation = TOOLS[name];
    const ask = operation.orToken ? client.callOrToken : client.call;
    const { text, body } = await ask(operation as typeof TOOLS.sessions_get, request as never);
    return {
      content: [{ type: 'text' as const, text }],
      structuredContent: body as unknown as Record<string, unknown>,
    };
  } catch (error) {
    const told = await client.explain(error);
    if (told instanceof Refused) return failed(told.body, told.hint);
    if (told instanceof CommandError) return failed(told.message);
    throw told;
  }
}

const failed = (...texts: (string | null)[]) => ({
  isError: true,
  content: texts.flatMap((text) => (text === null ? [] : [{ type: 'text' as const, text }])),
});
