import * as Type from 'typebox';
import { FINDING_RULES, SEVERITIES } from '../domain/findings.ts';
import { FIRST_KINDS, SITUATION_GROUPS, type SituationGroup, situationsOf } from '../domain/situations.ts';
import { enveloped, NOTHING, named, ok, operation, ref, refOrNull, resource } from './operation.ts';
import { count, instant, nullable, oneOf, text } from './schemas.ts';
import { SERVICE_OPERATIONS } from './service.ts';

const tag = 'Coverage';

/** Everything that the service can do to a store (interface §9). */
export const SITUATIONS = situationsOf(SERVICE_OPERATIONS);

const GROUPS = Object.keys(SITUATION_GROUPS) as [SituationGroup, ...SituationGroup[]];

const CoverageFirst = named('CoverageFirst', 'What showed it first.', {
  at: instant('Account time.'),
  kind: oneOf(FIRST_KINDS),
  id: nullable(text('`req_…`, `evt_…` or `dlv_…`; null for a request to a server without a request log.')),
  client_id: nullable(text('The account whose id it is, in a sum over several accounts; otherwise null.')),
});

const CoverageGroup = resource(
  {
    id: oneOf(GROUPS),
    title: Type.String(),
    met: count('Situations of the group that were met.'),
    total: count('Situations of the group.'),
  },
  { $id: 'CoverageGroup' },
);

const CoverageSituation = named('CoverageSituation', 'Something that the service can do to a store.', {
  id: text('`<group>.<what>`, such as `webhooks.duplicate`.'),
  group: oneOf(GROUPS),
  title: Type.String(),
  section: text('The section of the documents that describes it.'),
  met: count('How often it was met.'),
  first: refOrNull('CoverageFirst'),
  how: text('How to reach it: commands between backticks, and what the store does then.'),
});

const CoverageFinding = named('CoverageFinding', 'A habit of the store that fails in production.', {
  rule: oneOf(FINDING_RULES),
  severity: oneOf(SEVERITIES),
  title: Type.String(),
  count: count('How often the store did it.'),
  first: ref('CoverageFirst'),
  why: text('What goes wrong in production, and what to do instead.'),
});

const CoverageReport = named(
  'CoverageReport',
  'What a store has met of the service. Requests with the header `x-layaway-tool: 1` are not counted, because they do not come from the store.',
  {
    met: count('Situations that were met.'),
    total: count('All situations.'),
    percent: Type.Number({ minimum: 0, maximum: 100, description: 'One decimal, rounded down.' }),
    groups: Type.Array(ref('CoverageGroup')),
    situations: Type.Array(ref('CoverageSituation'), { description: 'Every situation, met or not.' }),
    findings: Type.Array(ref('CoverageFinding'), {
      description: 'The rules that the store breaks; an empty list if there are none.',
    }),
  },
);

export const getCoverage = operation({
  operationId: 'getCoverage',
  method: 'GET',
  path: '/_sim/coverage',
  auth: 'account',
  tag,
  summary: 'Read which situations the store has met, and what it does wrong',
  success: ok(enveloped('CoverageReport'), 'Every situation, and the findings.'),
  refusals: [401],
});

export const clearCoverage = operation({
  operationId: 'clearCoverage',
  method: 'DELETE',
  path: '/_sim/coverage',
  auth: 'account',
  tag,
  summary: 'Clear what the store has met, and all findings',
  success: NOTHING,
  refusals: [401],
});

export const getWorkspaceCoverage = operation({
  operationId: 'getWorkspaceCoverage',
  method: 'GET',
  path: '/_sim/coverage/all',
  auth: 'workspace',
  tag,
  summary: 'Read the sum of the coverage of all accounts',
  success: ok(enveloped('CoverageReport'), 'Every situation, and the findings.'),
  refusals: [401],
});

export const COVERAGE_SCHEMAS = [
  CoverageFirst,
  CoverageGroup,
  CoverageSituation,
  CoverageFinding,
  CoverageReport,
] as const;
export const COVERAGE_OPERATIONS = [getCoverage, clearCoverage, getWorkspaceCoverage] as const;
