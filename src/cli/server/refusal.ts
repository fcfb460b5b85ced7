import type { IncomingHttpHeaders } from 'node:http';
import { isRecord } from '../../domain/json.ts';
import { counted } from '../../domain/text.ts';
import type { Operation } from '../../operations/operation.ts';
import { type CommandError, EXIT, Refused, usage } from '../exit.ts';
import { printable } from '../terminal/printable.ts';
import { type Address, passedOverLine } from './address.ts';
import { isOfControlPlane } from './control-plane.ts';
import { isSimulator } from './health.ts';
import { recordOf } from './nearest-server.ts';
import { exchange, FAULTED, isMissing, noControlPlane, otherKind, TIMEOUT_MS } from './transport.ts';

interface Refusing {
  readonly status: number;
  readonly text: string;
  /** The parsed text. */
  readonly body: object;
  readonly headers: IncomingHttpHeaders;
}

/** The error of an answer from 400 on: what the server said, and what may help. */
export async function refusalOf(
  { auth, path }: Pick<Operation, 'auth' | 'path'>,
  { status, text, body, headers }: Refusing,
  resolved: Address,
): Promise<CommandError> {
  const { baseUrl, from } = resolved;
  const said = sentences(body);
  // A gateway may ask for a login of its own before it looks at the path.
  if (
    (isMissing(status) || status === 401) &&
    isOfControlPlane({ path }) &&
    !(await isSimulator(baseUrl, TIMEOUT_MS))
  ) {
    return new Refused(status, text, '', { hint: noControlPlane(baseUrl).message });
  }
  if (said === null) return otherKind(baseUrl, `its error (${status}) has no message`);
  const seconds = headers['retry-after'];
  const who =
    auth === 'workspace' ? tokenLine(resolved) : `The key came from ${from.apiKey}, for the server at ${baseUrl}.`;
  const hints: Readonly<Record<number, string | undefined>> = {
    401: [who, passedOverLine(resolved)].filter(Boolean).join(' '),
    429: /^\d+$/.test(seconds ?? '') ? `Try again in ${counted(Number(seconds), 'second')}.` : undefined,
  };
  if (status === 507) return new Refused(status, text, said, { code: EXIT.failure });
  // Faults strike no levers.
  if (status >= 500 && !isOfControlPlane({ path })) {
    return new Refused(status, text, said.replace(/[^.!?]$/, '$&.'), { hint: FAULTED });
  }
  return new Refused(status, text, said, { hint: hints[status] });
}

/** Why there is no token to send: a server without a control plane has none. */
export async function missingToken({ baseUrl }: Address): Promise<CommandError> {
  if (!(await isSimulator(baseUrl, TIMEOUT_MS))) {
    // Throws when nothing answers.
    await exchange({ method: 'GET', url: `${baseUrl}/`, headers: {}, timeoutMs: TIMEOUT_MS });
    return noControlPlane(baseUrl);
  }
  return usage(
    `This command needs the control token of ${baseUrl}. Run the command in the folder of \`layaway serve\`, use --control-token, or set both LAYAWAY_BASE_URL and LAYAWAY_CONTROL_TOKEN. \`layaway serve\` and \`layaway trace open\` print the token.`,
  );
}

/** Why a token was refused. An exported token stays after the server that printed it has ended. */
export function tokenLine({ baseUrl, from, controlToken }: Address): string {
  const own = recordOf(baseUrl)?.control_token;
  if (from.controlToken !== 'LAYAWAY_CONTROL_TOKEN' || own === undefined || own === controlToken)
    return `The control token does not match the server at ${baseUrl}.`;
  return `LAYAWAY_CONTROL_TOKEN is the token of another server. Run \`unset LAYAWAY_CONTROL_TOKEN\`, or export the one that the server at ${baseUrl} printed.`;
}

/** The message of an error body, and those of each field (§2.9); null when the body is not an error of the service. */
function sentences(body: { message?: unknown; errors?: unknown; reason?: unknown }): string | null {
  const { message, errors, reason } = body;
  if (typeof message !== 'string' || message === '') return null;
  const fields = Object.entries(isRecord(errors) ? errors : {}).flatMap(([field, messages]) =>
    [messages].flat().map((each) => ({ field, message: String(each) })),
  );
  const isSaid = fields.length === 1 && fields[0]?.message === message;
  return [
    message,
    ...(isSaid ? [] : fields.map(({ field, message }) => `  ${field}: ${message}`)),
    ...(typeof reason === 'string' ? [`  reason: ${reason}`] : []),
  ]
    .map(printable)
    .join('\n');
}
