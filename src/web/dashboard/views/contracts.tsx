import { useContext, useState } from 'preact/hooks';
import { CONTRACT_STATUSES, type ContractStatus } from '../../../domain/contract.ts';
import { WANTED_INSTALLMENT_STATUSES } from '../../../domain/history.ts';
import { browseContracts, OVERDUE } from '../../../operations/browse.ts';
import { createContract } from '../../../operations/contracts.ts';
import type { Contract } from '../../../operations/wire.ts';
import { DigitsField, Field, OrderField, TotalField } from '../parts/fields.tsx';
import { Here } from '../parts/here.ts';
import { Form, Lever, leverOf } from '../parts/levers/levers.tsx';
import type { Open } from '../parts/levers/opener.ts';
import { quoted } from '../parts/levers/quoted.ts';
import { stepOf } from '../parts/levers/snippets.ts';
import { Id } from '../parts/link-to.tsx';
import { TableView } from '../parts/lists/table-view.tsx';
import { OverdueBadge, scheduleInWords } from '../parts/resources/overdue.tsx';
import { Badge, Empty, Moment, Panel, Truncated } from '../parts/ui.tsx';
import { money, numberIn, spaced } from '../words.ts';

export function ContractsView({ query }: { query: URLSearchParams }) {
  return (
    <TableView
      query={query}
      title="Contracts"
      lead="Agreements that customers accepted, newest first."
      operation={browseContracts}
      one="contract"
      keyOf={({ reference }) => reference}
      statuses={[...CONTRACT_STATUSES, ...OVERDUE]}
      searched={['reference', 'order', 'name', 'email']}
      heads={['Reference', 'Status', 'Customer', 'Order', ['Paid', 'figure'], ['Of', 'figure'], 'Schedule', 'Since']}
      row={(contract) => <Row key={contract.reference} of={contract} />}
      empty={
        <Empty run="layaway contracts create --order-reference A-1001 --total-amount 20000">
          No customer has accepted a plan yet. Open the checkout of a session and accept it, or run:
        </Empty>
      }
    >
      <NewContract />
    </TableView>
  );
}

/** Creates a contract in any state, with the history that leads to it (interface §8). */
function NewContract() {
  const { href } = useContext(Here);
  const [status, setStatus] = useState('delinquent');
  const [number, setNumber] = useState('');
  const [days, setDays] = useState('1');
  const [order, setOrder] = useState('');
  const [cents, setCents] = useState('');
  const [sends, setSends] = useState(true);

  /** Empty for the default, which an emptied field means, too. */
  const daysAgo = days === '1' ? '' : days;
  const ofInstallment = WANTED_INSTALLMENT_STATUSES.find((each) => each === status);
  const body = {
    ...(ofInstallment ? {} : { status: status as ContractStatus }),
    ...(ofInstallment ? { installment: { number: numberIn(number || '1'), status: ofInstallment } } : {}),
    ...(!ofInstallment && number !== '' ? { installment: { number: numberIn(number) } } : {}),
    ...(daysAgo === '' ? {} : { days_ago: numberIn(daysAgo) }),
    ...(sends ? {} : { webhooks: false }),
    ...(order.trim() === '' ? {} : { order_reference: order.trim() }),
    ...(cents === '' ? {} : { total_amount: numberIn(cents) }),
  };
  const flags = [
    ['--status', status],
    ['--installment', number],
    ['--days-ago', daysAgo],
    ['--order-reference', order.trim()],
    ['--total-amount', cents],
  ].flatMap(([flag = '', value = '']) => (value === '' ? [] : [flag, quoted(value)]));
  const told = ({ reference }: Contract, show: Open) => {
    show(href('contracts', reference), `${reference} was created, with its history.`);
    return null;
  };

  return (
    <Panel title="New contract in state …">
      <p class="hint">
        Its session, payments, emails and events get timestamps in the past of this account. The clock and other
        contracts do not change.
      </p>
      <Form>
        <Field label="State" name={ofInstallment ? 'installment.status' : 'status'}>
          {(id) => (
            <select id={id} value={status} onChange={(event) => setStatus(event.currentTarget.value)}>
              <optgroup label="Contract">
                {CONTRACT_STATUSES.map((each) => (
                  <option key={each} value={each}>
                    {each}
                  </option>
                ))}
              </optgroup>
              <optgroup label="Installment of an active contract">
                {WANTED_INSTALLMENT_STATUSES.map((each) => (
                  <option key={each} value={each}>
                    {spaced(each)}
                  </option>
                ))}
              </optgroup>
            </select>
          )}
        </Field>
        <DigitsField label="Installment number" name="installment.number" value={number} set={setNumber} />
        <DigitsField label="Days ago" name="days_ago" value={days} set={setDays} />
        <OrderField value={order} set={setOrder} />
        <TotalField value={cents} set={setCents} />
        <label class="check">
          <input type="checkbox" checked={sends} onChange={(event) => setSends(event.currentTarget.checked)} /> Send its
          webhooks
        </label>
        <Lever
          kind="strong"
          submits
          {...leverOf(createContract, told, { body })}
          step={stepOf('create-contract', body, 'plan')}
          command={['layaway contracts create', ...flags, ...(sends ? [] : ['--no-webhooks'])].join(' ')}
        >
          Create contract
        </Lever>
      </Form>
    </Panel>
  );
}

function Row({ of: contract }: { of: Contract }) {
  return (
    <tr>
      <td>
        <Id of={contract.reference} />
      </td>
      <td>
        <Badge of={contract.status} /> <OverdueBadge of={contract} />
      </td>
      <td class="wide who">
        <Truncated>{contract.customer_name}</Truncated>
        <span class="soft">
          <Truncated>{contract.customer_email}</Truncated>
        </span>
      </td>
      <td>
        <Truncated>{contract.order_reference ?? ''}</Truncated>
      </td>
      <td class="figure">{money(contract.paid_amount)}</td>
      <td class="figure" data-head="of">
        {money(contract.customer_total)}
      </td>
      <td>
        <Beads of={contract} />
      </td>
      <td class="when">
        <Moment at={contract.created_at} />
      </td>
    </tr>
  );
}

/** The schedule at a glance. */
function Beads({ of: { installments } }: { of: Contract }) {
  const label = scheduleInWords(installments);
  return (
    <span class="beads" role="img" aria-label={label} title={label}>
      {installments.map(({ sequence, status }) => (
        <span key={sequence} class={`bead ${status}`} />
      ))}
    </span>
  );
}
