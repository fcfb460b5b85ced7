/** A control-plane call as a command to paste: the credentials come from the variables that `serve` prints. */
export function curlOf(method: string, path: string, body?: object): string {
  const url = path.startsWith('/') ? `"$LAYAWAY_BASE_URL${path}"` : path;
  const lines = [
    `curl -X ${method} ${url}`,
    '-H "X-Client-Id: $LAYAWAY_CLIENT_ID"',
    '-H "X-Api-Key: $LAYAWAY_API_KEY"',
  ];
  if (body !== undefined) lines.push('-H "Content-Type: application/json"', `-d ${quoted(JSON.stringify(body))}`);
  return lines.join(' \\\n  ');
}

/** For a POSIX shell. */
export const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
