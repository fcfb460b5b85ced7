import * as Type from 'typebox';
import { STRUCK_BY } from './faults.ts';
import { listQuery } from './list-query.ts';
import { enveloped, listed, named, ok, operation } from './operation.ts';
import { instant, nullable, text } from './schemas.ts';

const tag = 'Requests';

export const REQUEST_LINE = {
  id: text('`req_…`'),
  at: instant('Real time.'),
  method: Type.String(),
  path: text('With its query.'),
  status: nullable(
    Type.Integer({
      description: 'The status of the response, even if a fault withheld it; null when a fault lost the request.',
    }),
  ),
  duration_ms: Type.Number({ minimum: 0 }),
  fault: STRUCK_BY,
};
export const CLIENT_ID = nullable(text('The account whose client id it named; null when it named none.'));
export const RequestRecord = named('RequestRecord', 'A request to `/v1` and its response.', {
  ...REQUEST_LINE,
  request_headers: Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    additionalProperties: true,
    description: 'Secrets are shortened.',
  }),
  request_body: Type.Unknown({
    description:
      'Parsed; the text as it was sent when it is not a JSON object; null when there was none, or when the request was refused before its body was read, such as with 401.',
  }),
  response_body: Type.Unknown({ description: 'Parsed; null when there was none.' }),
  client_id: CLIENT_ID,
});

export const REQUEST_FILTER = {
  path: Type.Optional(text('Only requests whose path begins with this.')),
  status: Type.Optional(text('A status such as `404`, or a class such as `4xx`.')),
};

export const listRequests = operation({
  operationId: 'listRequests',
  method: 'GET',
  path: '/_sim/requests',
  auth: 'account',
  tag,
  summary: 'List requests to /v1, newest first',
  query: listQuery(REQUEST_FILTER),
  success: ok(listed('RequestRecord'), 'The requests with their bodies.'),
  refusals: [401, 422],
});

export const getRequest = operation({
  operationId: 'getRequest',
  method: 'GET',
  path: '/_sim/requests/{id}',
  auth: 'account',
  tag,
  summary: 'Read a request and its response',
  params: { id: 'The request’s id, `req_…`.' },
  success: ok(enveloped('RequestRecord'), 'The request.'),
  refusals: [401, 404],
});

export const REQUEST_SCHEMAS = [RequestRecord] as const;
export const REQUEST_OPERATIONS = [listRequests, getRequest] as const;
