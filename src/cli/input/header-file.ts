import { isRecord } from '../../domain/json.ts';
import { usage } from '../exit.ts';

/**
 * Reads headers as people save them: a JSON object of them or of the whole request, as AWS Lambda gets it, or `Name: value`
 * lines with or without the request line above them.
 * @throws CommandError that names the first line of another form
 */
export function headersOf(text: string): Record<string, string> {
  // Some editors begin a file with a byte order mark, which counts as white space here.
  const json = text.trim();
  if (json.startsWith('{') || json.startsWith('[')) return fromJson(json);
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const headers: Record<string, string> = {};
  for (const [index, line] of lines.entries()) {
    if (line === '' || (index === 0 && /\bHTTP\/\d/.test(line))) continue;
    const at = line.indexOf(':');
    if (at < 1) throw usage(`--headers: line ${index + 1} is not a "Name: value" line.`);
    headers[nameOf(line.slice(0, at).trim())] = line.slice(at + 1).trim();
  }
  return headers;
}

function fromJson(text: string): Record<string, string> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw usage(
      '--headers: the file is not valid JSON. It may hold what console.log or print wrote. In Node, save JSON.stringify(req.headers), in Python json.dumps(dict(request.headers)); or save "Name: value" lines.',
    );
  }
  if (Array.isArray(parsed)) {
    throw usage('--headers: the file is a JSON list. Save the headers as a JSON object or as "Name: value" lines.');
  }
  const { headers } = parsed as { headers?: unknown };
  return Object.fromEntries(
    Object.entries(isRecord(headers) ? headers : (parsed as object)).map(([name, value]) => [
      nameOf(name),
      Array.isArray(value) ? String(value[0]) : String(value),
    ]),
  );
}

/** CGI, WSGI, Rack and the `$_SERVER` of PHP write `HTTP_WEBHOOK_ID` for `webhook-id`. */
const nameOf = (name: string): string =>
  /^HTTP_[A-Z\d_]+$/.test(name) ? name.slice('HTTP_'.length).replaceAll('_', '-') : name;
