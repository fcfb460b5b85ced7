import { useContext } from 'preact/hooks';
import { browseRequests } from '../../../operations/browse.ts';
import { getRequest } from '../../../operations/requests.ts';
import { ping } from '../../../operations/service.ts';
import type { RequestLine, RequestRecord } from '../../../operations/wire.ts';
import { ifThere, onceWith, useRead } from '../live.ts';
import { Here } from '../parts/here.ts';
import { Copy } from '../parts/levers/levers.tsx';
import { callOf, curlOf, headerOf } from '../parts/levers/snippets.ts';
import { Csv } from '../parts/lists/csv.tsx';
import { NewRows, useHeldPage } from '../parts/lists/held.tsx';
import {
  Backwards,
  Choice,
  isPartOf,
  NoneFound,
  noMatch,
  SearchBox,
  ShownBack,
  useBack,
} from '../parts/lists/pages.tsx';
import { Table } from '../parts/lists/table.tsx';
import { Explained } from '../parts/resources/explain.tsx';
import { type ReadRelated, RelatedTo, StatusCode, StruckBy, useRelated } from '../parts/resources/related.tsx';
import { ShownOne } from '../parts/shown.tsx';
import { Empty, Facts, Json, Link, Moment, Page, Panel } from '../parts/ui.tsx';

const STATUSES = ['2xx', '4xx', '5xx', '401', '403', '404', '409', '422', '429'];

export function RequestsView({ id, query }: { id: string | null; query: URLSearchParams }) {
  return id === null ? <Log query={query} /> : <Kept key={id} id={id} />;
}

const NO_LOG = 'This server keeps no request log: it was started with --no-request-log.';

function Log({ query }: { query: URLSearchParams }) {
  const { logsRequests } = useContext(Here);
  const read = useBack(browseRequests, query, ['path', 'status']);
  const held = useHeldPage(read, ({ id }) => id);
  const isNarrowed = ['path', 'status', 'before'].some((name) => query.has(name));
  return (
    <Page
      title="Requests"
      lead="The latest requests to /v1 for this account, including refused ones that named its client id."
    >
      <div class="filters">
        <SearchBox query={query} name="path" label="Path begins with" />
        <Choice
          query={query}
          name="status"
          label="Status"
          all="every status"
          options={STATUSES.map((status) => [status, status])}
        />
        <NoneFound of={read} isNarrowed={isNarrowed} />
      </div>
      <Panel title="Requests" flush aside={<Csv of="Requests" rows={held.rows} />}>
        <ShownBack of={read} query={query}>
          {({ data, meta: { older } }) => (
            <>
              {data.length > 0 ? (
                <>
                  <NewRows of={held} one="request" />
                  <List of={held.rows ?? []} isPage={isPartOf(query, older)} />
                </>
              ) : !logsRequests ? (
                <Empty>{NO_LOG}</Empty>
              ) : isNarrowed ? (
                <Empty>{noMatch(older)}</Empty>
              ) : (
                <Empty run={curlOf(callOf(ping))}>No request yet. Point your store at this simulator, or run:</Empty>
              )}
              <Backwards query={query} older={older} />
            </>
          )}
        </ShownBack>
      </Panel>
    </Page>
  );
}

function List({ of, isPage }: { of: readonly RequestLine[]; isPage: boolean }) {
  const { href } = useContext(Here);
  return (
    <Table
      label="Requests"
      heads={['When, real time', 'Method', 'Path', 'Response', ['Duration', 'figure']]}
      isPage={isPage}
    >
      {of.map(({ id, at, method, path, status, duration_ms, fault }) => (
        <tr key={id} class={status === null || status >= 500 ? 'troubled' : undefined}>
          <td class="when">
            <Moment at={at} />
          </td>
          <td>
            <code>{method}</code>
          </td>
          <td class="wide">
            <Link class="id" href={href('requests', id)}>
              {path}
            </Link>
          </td>
          <td>
            <StatusCode of={status} /> <StruckBy fault={fault} />
          </td>
          <td class="figure">{duration_ms.toFixed(1)} ms</td>
        </tr>
      ))}
    </Table>
  );
}

function Kept({ id }: { id: string }) {
  const read = useRead(getRequest, { params: { id } });
  const related = ifThere(useRelated(id));
  const { logsRequests } = useContext(Here);
  const note = logsRequests ? 'The log keeps the latest 2,000 requests, at most 4 MiB.' : NO_LOG;
  return (
    <ShownOne of={onceWith(read, related)} id={id} note={note}>
      {(request) => <One request={request} related={related} />}
    </ShownOne>
  );
}

/** The characters of a path that its title shows. */
const TITLE_MAX = 120;

function One({ request, related }: { request: RequestRecord; related: ReadRelated }) {
  const { href } = useContext(Here);
  const { method, path, status, at, duration_ms, request_headers, request_body, response_body } = request;
  const isLong = path.length > TITLE_MAX;
  return (
    <Page
      title={<span class="long-id">{`${method} ${isLong ? `${path.slice(0, TITLE_MAX)}…` : path}`}</span>}
      lead={
        <>
          <StatusCode of={status} /> <StruckBy fault={request.fault} />
        </>
      }
      actions={
        <>
          <Copy text={commandOf(request)}>Copy as curl</Copy>
          <Link class="button" href={href('requests')}>
            All requests
          </Link>
        </>
      }
    >
      <Panel title="Facts">
        <Facts
          of={[
            ['Id', <code>{request.id}</code>],
            ['When, real time', <Moment at={at} />],
            ['Duration', `${duration_ms} ms`],
          ]}
        />
        {isLong && <Json value={path} label="Path" />}
      </Panel>
      <div class="columns">
        <Panel title="Request">
          <Json value={request_headers} label="Request headers" />
          {request_body !== null && <Json value={request_body} label="Request body" />}
          {lacksBody(request) && <p class="hint">{NO_BODY} It was not read, or it is not text.</p>}
        </Panel>
        <Panel title="Response">
          <Json value={response_body} label="Response body" />
        </Panel>
      </div>
      <Explained id={request.id} />
      <RelatedTo of={related} />
    </Page>
  );
}

const NO_BODY = 'The log does not have the body of this request.';

/** A body that was refused unread, or that is not text, is not logged. */
const lacksBody = ({ method, request_headers, request_body }: RequestRecord) =>
  request_body === null && method !== 'GET' && method !== 'HEAD' && Number(request_headers['content-length'] ?? 0) > 0;

/** The log does not keep the key, so the command reads it from the environment. */
function commandOf(request: RequestRecord): string {
  const { method, path, request_body, request_headers } = request;
  const { 'idempotency-key': key, 'content-type': type = '' } = request_headers;
  const body = request_body === null ? undefined : (request_body as object | string);
  const sent = lacksBody(request) ? { body: NO_BODY, type: String(type) } : { body };
  const headers = typeof key === 'string' ? [headerOf('Idempotency-Key', key)] : [];
  return curlOf({ method, path, auth: 'account', ...sent, headers });
}
