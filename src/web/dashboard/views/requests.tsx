import { useContext } from 'preact/hooks';
import { useRead } from '../live.ts';
import { curlOf, quoted } from '../parts/clip.ts';
import { Here } from '../parts/here.ts';
import { Id } from '../parts/link-to.tsx';
import { StatusCode } from '../parts/related.tsx';
import { Copy, Empty, Facts, Json, Link, Moment, Page, Panel, Shown, Table } from '../parts/ui.tsx';
import { go, refine } from '../route.ts';
import type { RequestRecord } from '../wire.ts';

const LIMIT = 200;
const STATUSES = ['2xx', '4xx', '5xx', '401', '403', '404', '409', '422', '429'];

export function RequestsView({ id, query }: { id: string | null; query: URLSearchParams }) {
  const path = query.get('path') ?? '';
  const status = query.get('status') ?? '';
  const asked = new URLSearchParams({ limit: id === null ? String(LIMIT) : '1000' });
  if (path !== '') asked.set('path', path);
  if (status !== '') asked.set('status', status);
  const read = useRead<readonly RequestRecord[]>(`/_sim/requests?${asked}`);
  if (id !== null) {
    return (
      <Shown of={read}>
        {(list) => {
          const found = list.find((request) => request.id === id);
          return found ? <One request={found} /> : <Forgotten />;
        }}
      </Shown>
    );
  }
  return (
    <Page
      title="Requests"
      lead="What reached /v1 since the simulator started: this account’s own, and those that named none."
    >
      <div class="filters">
        <input
          type="search"
          aria-label="Path begins with"
          placeholder="Path begins with /v1/…"
          value={path}
          onInput={(event) => refine({ path: event.currentTarget.value.trim() })}
        />
        <select aria-label="Status" value={status} onChange={(event) => refine({ status: event.currentTarget.value })}>
          <option value="">every status</option>
          {STATUSES.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </div>
      <Panel title="Requests" flush>
        <Shown of={read}>
          {(list) =>
            list.length === 0 ? (
              path === '' && status === '' ? (
                <Empty run='curl "$LAYAWAY_BASE_URL/v1/ping" -H "X-Client-Id: $LAYAWAY_CLIENT_ID" -H "X-Api-Key: $LAYAWAY_API_KEY"'>
                  No request yet. Point your store at this simulator, or run:
                </Empty>
              ) : (
                <Empty>Nothing matches.</Empty>
              )
            ) : (
              <List of={list} />
            )
          }
        </Shown>
      </Panel>
    </Page>
  );
}

function List({ of }: { of: readonly RequestRecord[] }) {
  const { href } = useContext(Here);
  return (
    <Table label="Requests" heads={['When, real time', 'Method', 'Path', 'Answer', ['Took', 'figure'], 'Account']}>
      {of.map(({ id, at, method, path, status, duration_ms, client_id }) => (
        <tr key={id} class={status >= 500 ? 'troubled' : undefined}>
          <td class="when">
            <Moment at={at} />
          </td>
          <td>{method}</td>
          <td class="wide">
            <Link class="id" href={href('requests', id)}>
              {path}
            </Link>
          </td>
          <td>
            <StatusCode of={status} />
          </td>
          <td class="figure">{duration_ms.toFixed(1)} ms</td>
          <td>{client_id === null ? 'none' : 'this one'}</td>
        </tr>
      ))}
    </Table>
  );
}

function Forgotten() {
  return (
    <Page title="This request is no longer kept">
      <p>The log holds the latest 2,000 requests, and begins anew with the simulator.</p>
    </Page>
  );
}

function One({ request }: { request: RequestRecord }) {
  const { href } = useContext(Here);
  const { method, path, status, at, duration_ms, request_headers, request_body, response_body } = request;
  return (
    <Page
      title={<span class="long-id">{`${method} ${path}`}</span>}
      lead={<StatusCode of={status} />}
      actions={
        <>
          <Copy text={commandOf(request)}>Copy as curl</Copy>
          <button type="button" onClick={() => go(href('requests'))}>
            All requests
          </button>
        </>
      }
    >
      <Panel title="Facts">
        <Facts
          of={[
            ['Id', <code>{request.id}</code>],
            ['When, real time', <Moment at={at} />],
            ['Took', `${duration_ms} ms`],
            ['About', aboutOf(request).map((id) => <Id key={id} of={id} />)],
          ]}
        />
      </Panel>
      <div class="columns">
        <Panel title="Request">
          <Json value={request_headers} label="Request headers" />
          {request_body !== null && <Json value={request_body} label="Request body" />}
        </Panel>
        <Panel title="Answer">
          <Json value={response_body} label="Response body" />
        </Panel>
      </div>
    </Page>
  );
}

/** The log keeps no key, so the command reads it from the environment. */
function commandOf({ method, path, request_body, request_headers }: RequestRecord): string {
  const key = request_headers['idempotency-key'];
  const command = curlOf(method, path, request_body === null ? undefined : (request_body as object));
  return key === undefined ? command : `${command} \\\n  -H ${quoted(`Idempotency-Key: ${key}`)}`;
}

/** What the path or a single answer names. */
function aboutOf({ path, response_body: body }: RequestRecord): string[] {
  const { data } = (body ?? {}) as { data?: { id?: unknown; reference?: unknown } };
  const named = [path.match(/LAY-[0-9A-Z]+|cs_\w+/)?.[0], data?.reference, data?.id];
  const ids = named.filter((id): id is string => typeof id === 'string' && /^(LAY-|cs_)/.test(id));
  return [...new Set(ids)];
}
