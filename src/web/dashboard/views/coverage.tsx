import { grouped } from '../../../domain/text.ts';
import { clearCoverage, getCoverage } from '../../../operations/coverage.ts';
import type {
  CoverageFinding,
  CoverageFirst,
  CoverageGroup,
  CoverageReport,
  CoverageSituation,
} from '../../../operations/wire.ts';
import { useRead } from '../live.ts';
import { Lever, leverOf } from '../parts/levers/levers.tsx';
import { Id } from '../parts/link-to.tsx';
import { Choice } from '../parts/lists/pages.tsx';
import { Table } from '../parts/lists/table.tsx';
import { Shown } from '../parts/shown.tsx';
import { Badge, Empty, Moment, Page, Panel, WithCommands } from '../parts/ui.tsx';
import { plural } from '../words.ts';

interface Filter {
  readonly name: string;
  shows(of: CoverageSituation): boolean;
  /** What it means that no situation is shown. */
  readonly none: string;
}

/** The filters of the list of situations. */
const FILTERS: ReadonlyMap<string, Filter> = new Map([
  ['missing', { name: 'not met yet', shows: ({ met }) => met === 0, none: 'Every situation was met.' }],
  ['met', { name: 'met', shows: ({ met }) => met > 0, none: 'No situation was met yet.' }],
]);

export function CoverageView({ query }: { query: URLSearchParams }) {
  const read = useRead(getCoverage);
  const filter = FILTERS.get(query.get('show') ?? '');
  return (
    <Page
      title="Coverage"
      lead="The situations of the service that the store has met, and what it does that would fail in production. Levers and commands do not count: they are not the store."
      actions={
        <Lever
          kind="danger"
          {...leverOf(clearCoverage, 'The coverage is cleared.')}
          confirm="This clears the situations that this account has met, and its findings."
        >
          Clear
        </Lever>
      }
    >
      <Shown of={read}>
        {(report) => (
          <>
            <Sum of={report} />
            <Findings of={report.findings} />
            <div class="filters">
              <Choice
                query={query}
                name="show"
                label="Situations"
                all="every situation"
                options={[...FILTERS].map(([value, { name }]) => [value, name])}
              />
            </div>
            <Situations of={report} filter={filter} />
          </>
        )}
      </Shown>
    </Page>
  );
}

function Sum({ of: { met, total, percent } }: { of: CoverageReport }) {
  return (
    <div class="coverage-sum">
      <p data-testid="coverage">
        <strong>{percent}%</strong> {met} of {plural(total, 'situation')} met
      </p>
      <progress value={met} max={total} aria-label="Situations met" />
    </div>
  );
}

function First({ of: { id, at } }: { of: CoverageFirst }) {
  return (
    <>
      {id === null ? 'not logged' : <Id of={id} short />}{' '}
      <span class="unbroken">
        <Moment at={at} />
      </span>
    </>
  );
}

function Findings({ of }: { of: readonly CoverageFinding[] }) {
  return (
    <Panel title="Findings" flush>
      {of.length === 0 ? (
        <Empty>No findings: nothing that the store did here would fail in production.</Empty>
      ) : (
        <Table label="Findings" heads={['Finding', 'Severity', ['Times', 'figure'], 'First']}>
          {of.map(({ rule, severity, title, why, count, first }) => (
            <tr key={rule} data-testid="finding">
              <td class="roomy">
                <strong>{title}</strong>
                <span class="soft">{why}</span>
              </td>
              <td>
                <Badge of={severity === 'must' ? 'failed' : 'due'}>{severity}</Badge>
              </td>
              <td class="figure" data-head="times">
                {grouped(count)}
              </td>
              <td>
                <First of={first} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Panel>
  );
}

function Situations({ of: { groups, situations }, filter }: { of: CoverageReport; filter: Filter | undefined }) {
  const shown = filter ? situations.filter(filter.shows) : situations;
  if (shown.length === 0 && filter) {
    return (
      <Panel title={`Situations ${filter.name}`} flush>
        <Empty>{filter.none}</Empty>
      </Panel>
    );
  }
  return (
    <>
      {groups.map((group) => (
        <Group key={group.id} of={group} situations={shown.filter((each) => each.group === group.id)} />
      ))}
    </>
  );
}

function Group({ of, situations }: { of: CoverageGroup; situations: readonly CoverageSituation[] }) {
  const { title, met, total } = of;
  if (situations.length === 0) return null;
  return (
    <Panel title={title} flush aside={<span class="soft">{`${met} of ${total} met`}</span>}>
      <Table label={title} heads={['Situation', 'First met, or how to reach it', ['Met', 'figure']]}>
        {situations.map(({ id, title, met, first, how }) => (
          <tr key={id} class="situation" data-testid={id}>
            <td class="roomy">
              <strong>{title}</strong>
              <code class="soft">{id}</code>
            </td>
            <td class="roomy">
              {first ? (
                <First of={first} />
              ) : (
                <span class="soft">
                  <WithCommands text={how} />
                </span>
              )}
            </td>
            <td class="figure" data-head="met">
              {met === 0 ? 'not yet' : grouped(met)}
            </td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}
