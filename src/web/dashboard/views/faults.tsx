import { useState } from 'preact/hooks';
import { EVENT_PATTERNS, FAULT_KINDS, FAULTS, type FaultKind } from '../../../domain/faults.ts';
import { addFault, clearFaults, listFaults, removeFault, STRUCK_OPERATION_IDS } from '../../../operations/faults.ts';
import { WHOLE_LIST } from '../../../operations/list-query.ts';
import type { Fault, FaultCreate } from '../../../operations/wire.ts';
import { useRead } from '../live.ts';
import { Field, TextField } from '../parts/fields.tsx';
import { Form, Lever, leverOf } from '../parts/levers/levers.tsx';
import { stepOf } from '../parts/levers/snippets.ts';
import { Table } from '../parts/lists/table.tsx';
import { Shown } from '../parts/shown.tsx';
import { Empty, Page, Panel } from '../parts/ui.tsx';
import { numberIn, plural, spaced } from '../words.ts';

export function FaultsView() {
  const read = useRead(listFaults, WHOLE_LIST);
  return (
    <Page title="Faults" lead="Failures of networks and services, arranged for requests and webhooks of this account.">
      <Panel
        title="Armed"
        flush
        aside={
          <Lever
            kind="danger"
            {...leverOf(clearFaults, 'All faults are removed.')}
            confirm="This removes all faults of this account, with the counts of how often they struck."
            disabled={(read.data ?? []).length === 0}
          >
            Remove all
          </Lever>
        }
      >
        <Shown of={read}>
          {(faults) =>
            faults.length === 0 ? (
              <Empty run="layaway faults add lost_answer --operation createSession">
                No fault is armed. Arm one below, or from a terminal:
              </Empty>
            ) : (
              <Table
                label="Faults"
                heads={['Kind', 'Strikes', 'How often', ['Struck', 'figure'], ['Remove', 'unseen']]}
              >
                {faults.map((fault) => (
                  <FaultRow key={fault.id} of={fault} />
                ))}
              </Table>
            )
          }
        </Shown>
        <Arm />
      </Panel>
    </Page>
  );
}

function FaultRow({ of }: { of: Fault }) {
  const { id, kind, met } = of;
  return (
    <tr data-testid="fault">
      <td class="roomy">
        <strong>{spaced(kind)}</strong>
        <span class="soft">{[FAULTS[kind].effect, detailOf(of)].filter((text) => text !== '').join(' ')}</span>
      </td>
      <td>{whichOf(of)}</td>
      <td>
        {howOften(of)}
        {met === of.times && <span class="soft">used up</span>}
      </td>
      <td class="figure" data-head="struck">
        {met.toLocaleString('en-US')}
      </td>
      <td class="levers">
        <Lever {...leverOf(removeFault, () => null, { params: { id } })}>Remove</Lever>
      </td>
    </tr>
  );
}

function whichOf({ kind, operation, method, path, event, endpoint_id }: Fault): string {
  const named = [operation, method, path, event, endpoint_id].filter((text) => text !== null);
  if (named.length > 0) return named.join(' ');
  return FAULTS[kind].on === 'request' ? 'every request' : 'every delivery';
}

function howOften({ times, skip, every }: Fault): string {
  return [
    times === null ? 'always' : times === 1 ? 'once' : plural(times, 'time'),
    ...(every === 1 ? [] : [`one match in ${every}`]),
    ...(skip === 0 ? [] : [`after ${plural(skip, 'match', 'matches')}`]),
  ].join(', ');
}

function detailOf({ status, retry_after, delay_ms, by, copies }: Fault): string {
  const details = [
    status === null ? '' : `Status ${status}.`,
    retry_after === null ? '' : `Retry-After ${retry_after}.`,
    delay_ms === null ? '' : `By ${delay_ms.toLocaleString('en-US')} ms.`,
    by === null ? '' : `By ${by}.`,
    copies === null ? '' : `${plural(copies, 'copy', 'copies')}.`,
  ];
  return details.filter((text) => text !== '').join(' ');
}

function Arm() {
  const [kind, setKind] = useState<FaultKind>('lost_answer');
  const [filter, setFilter] = useState('');
  const [times, setTimes] = useState('1');
  const { on } = FAULTS[kind];
  const choices: readonly string[] = on === 'request' ? STRUCK_OPERATION_IDS : EVENT_PATTERNS;
  const narrow = filter === '' ? {} : { [on === 'request' ? 'operation' : 'event']: filter };
  const count = times.trim().toLowerCase();
  const often = count === 'always' ? { times: null } : count === '1' || count === '' ? {} : { times: numberIn(count) };
  const body: FaultCreate = { kind, ...narrow, ...often };
  return (
    <Form>
      <Field label="Kind" name="kind">
        {(id) => (
          <select
            id={id}
            value={kind}
            onChange={(e) => {
              setKind(e.currentTarget.value as FaultKind);
              setFilter('');
            }}
          >
            {FAULT_KINDS.map((name) => (
              <option key={name} value={name}>
                {spaced(name)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={on === 'request' ? 'Requests' : 'Deliveries'} name={on === 'request' ? 'operation' : 'event'}>
        {(id) => (
          <select id={id} value={filter} onChange={(e) => setFilter(e.currentTarget.value)}>
            <option value="">{on === 'request' ? 'every request' : 'every delivery'}</option>
            {choices.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <TextField label="Times" name="times" hint="A whole number, or always." value={times} set={setTimes} />
      <Lever kind="strong" submits {...leverOf(addFault, 'The fault is armed.', { body })} step={stepOf('fault', body)}>
        Arm
      </Lever>
      <p class="hint">{FAULTS[kind].effect}</p>
    </Form>
  );
}
