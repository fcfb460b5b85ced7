import type { Outcome } from '../../../domain/contract.ts';
import { isOverdue } from '../../../domain/installment.ts';
import { arrangeOutcomes, endContract, exportScenario, settleInstallment } from '../../../operations/contracts.ts';
import { cancelContract, getContract } from '../../../operations/service.ts';
import type { Contract, PaymentAttempt } from '../../../operations/wire.ts';
import { ask } from '../ask.ts';
import { refresh } from '../live.ts';
import { isSame, useDraft } from '../parts/levers/draft.ts';
import { InstallmentLevers } from '../parts/levers/installment-levers.tsx';
import { Act, CopyAs, Lever, leverOf } from '../parts/levers/levers.tsx';
import { callOf, PLAN, stepOf } from '../parts/levers/snippets.ts';
import { say, teller } from '../parts/levers/toast.tsx';
import { Id } from '../parts/link-to.tsx';
import { saveFile } from '../parts/lists/save-file.ts';
import { Table } from '../parts/lists/table.tsx';
import { Explained } from '../parts/resources/explain.tsx';
import { OverdueBadge } from '../parts/resources/overdue.tsx';
import { type ReadRelated, RelatedPanels, useRelated } from '../parts/resources/related.tsx';
import { ShownOne } from '../parts/shown.tsx';
import { Picture } from '../parts/time/picture.tsx';
import { Plot } from '../parts/time/plot.tsx';
import type { Whole } from '../parts/time/timeline.ts';
import { Badge, Facts, Json, Moment, Page, Panel } from '../parts/ui.tsx';
import { dateOf, money, NONE, plural } from '../words.ts';

export function ContractView({ reference }: { reference: string }) {
  const read = useRelated(reference);
  return (
    <ShownOne of={read} id={reference}>
      {(related) =>
        related.contract ? (
          <Loaded read={read} related={{ ...related, contract: related.contract }} />
        ) : (
          <p>This id does not belong to a contract.</p>
        )
      }
    </ShownOne>
  );
}

function Loaded({ read, related }: { read: ReadRelated; related: Whole }) {
  const { contract, session, attempts, outcomes, preview } = related;
  return (
    <Page
      title={contract.reference}
      lead={
        <>
          <Badge of={contract.status} /> <OverdueBadge of={contract} /> <bdi>{contract.customer_name}</bdi>,{' '}
          {money(contract.paid_amount)} of {money(contract.customer_total)} collected
          {preview && '; a preview, not shown in lists'}
        </>
      }
      actions={<Levers contract={contract} preview={preview} />}
    >
      <Panel title="Over time">
        <Picture of={related} />
      </Panel>
      <div class="columns">
        <Panel title="Collected against expected">
          <Plot of={contract} />
        </Panel>
        <div class="screen-only">
          <Outcomes contract={contract} outcomes={outcomes} />
        </div>
      </div>
      <Schedule contract={contract} attempts={attempts} outcomes={outcomes} />
      <div class="screen-only">
        <Explained id={contract.reference} />
        <Panel title="Facts">
          <Facts
            of={[
              ['Order', <bdi>{contract.order_reference ?? 'none'}</bdi>],
              ['Session', session ? <Id of={session.id} short /> : 'none'],
              ['Customer', <bdi>{contract.customer_name}</bdi>],
              ['Email', <bdi>{contract.customer_email}</bdi>],
              ['State', contract.customer_state ?? 'none'],
              ['Order total', money(contract.total_amount)],
              ['Reservation Fee', money(contract.reservation_fee_amount)],
              ['Down payment', money(contract.down_payment_amount)],
              ['Remaining', money(contract.remaining_amount)],
              ...(
                [
                  ['Accepted', contract.created_at],
                  ['Started', contract.started_at],
                  ['Completed', contract.completed_at],
                  ['Defaulted', contract.defaulted_at],
                  ['Cancelled', contract.cancelled_at],
                ] as const
              ).flatMap(([name, at]) => (at === null ? [] : [[name, <Moment at={at} />] as const])),
            ]}
          />
          {Object.keys(contract.metadata).length > 0 && <Json value={contract.metadata} label="Metadata" />}
        </Panel>
        <RelatedPanels of={read} />
      </div>
    </Page>
  );
}

/** A store cannot read or cancel the contract of a preview (§4.5), so it has no such levers. */
function Levers({ contract: { reference, status }, preview }: { contract: Contract; preview: boolean }) {
  const params = { reference };
  const cancel = async () => {
    const tell = teller();
    await ask(endContract, { params });
    tell(`${reference} is cancelled. The merchant and the customer got an email.`);
    refresh();
  };
  return (
    <>
      <Act does={() => saveScenario(reference)}>Save as scenario</Act>
      {!preview && <CopyAs name="this contract" curl={callOf(getContract, { params })} />}
      {status === 'active' && !preview && (
        <Lever
          kind="danger"
          does={cancel}
          confirm="No further installments are collected, and nothing is refunded. This cannot be undone; a snapshot can bring the contract back."
          curl={callOf(cancelContract, { params })}
          step={stepOf('cancel-contract', { contract: PLAN })}
        >
          Cancel contract
        </Lever>
      )}
    </>
  );
}

/** Saves a scenario for `layaway run`: the requests and levers of this contract, and what happened. */
async function saveScenario(reference: string) {
  const scenario = await ask(exportScenario, { params: { reference } });
  const name = `${reference}.scenario.json`;
  saveFile(name, 'application/json', JSON.stringify(scenario, null, 2));
  say(`Saved ${name}. Play it with \`layaway run ${name}\`.`);
}

/** The arranged outcomes of the next collection attempts. */
function Outcomes({ contract: { reference, status }, outcomes }: { contract: Contract; outcomes: readonly Outcome[] }) {
  const [edited, setEdited] = useDraft<readonly Outcome[] | null>(`outcomes ${reference}`, null);
  const shown = edited ?? outcomes;
  const input = (next: readonly Outcome[]) => ({ params: { reference }, body: { outcomes: next } });
  const save = (next: readonly Outcome[]) => async () => {
    const tell = teller();
    await ask(arrangeOutcomes, input(next));
    setEdited((now) => (isSame(now, next) ? null : now));
    tell(
      next.length === 0 ? 'Every attempt will succeed.' : `The next ${plural(next.length, 'attempt')} are arranged.`,
    );
    refresh();
  };
  const over = status !== 'active' && status !== 'pending';
  return (
    <Panel
      title="Outcomes of the next attempts"
      aside={
        <CopyAs
          name="outcomes"
          curl={callOf(arrangeOutcomes, input(shown))}
          step={stepOf('outcomes', { contract: PLAN, outcomes: shown })}
        />
      }
    >
      {over ? (
        <p>Collection has ended, so there are no further attempts.</p>
      ) : (
        <>
          <p class="hint">Each collection attempt uses one outcome. When none are left, every attempt is paid.</p>
          <ol class="outcomes" data-testid="outcomes">
            {shown.map((outcome, index) => (
              <li key={index}>
                <button
                  type="button"
                  class={`badge ${outcome === 'pay' ? 'good' : 'bad'}`}
                  aria-label={`Attempt ${index + 1}: ${outcome}. Change`}
                  onClick={() => setEdited(shown.map((o, i) => (i === index ? (o === 'pay' ? 'fail' : 'pay') : o)))}
                >
                  {outcome}
                </button>
              </li>
            ))}
            <li class="soft">{shown.length === 0 ? 'pay, always' : 'then pay'}</li>
          </ol>
          <div class="actions start">
            <button type="button" onClick={() => setEdited([...shown, 'fail'])}>
              Add fail
            </button>
            <button type="button" onClick={() => setEdited([...shown, 'pay'])}>
              Add pay
            </button>
            {shown.length > 0 && (
              <button type="button" onClick={() => setEdited(shown.slice(0, -1))}>
                Remove last
              </button>
            )}
            {edited && (
              <Act kind="strong" does={save(edited)}>
                Save outcomes
              </Act>
            )}
            {edited && (
              <button type="button" onClick={() => setEdited(null)}>
                Discard
              </button>
            )}
            {edited && <span class="soft">Not saved yet</span>}
          </div>
        </>
      )}
    </Panel>
  );
}

function Schedule({
  contract,
  attempts,
  outcomes,
}: {
  contract: Contract;
  attempts: readonly PaymentAttempt[];
  outcomes: readonly Outcome[];
}) {
  const settle = (number: number | null) =>
    leverOf(settleInstallment, `Installment ${number} is settled.`, {
      params: { reference: contract.reference, number: String(number) },
    });
  return (
    <Panel title="Schedule" flush>
      <Table
        label="Schedule"
        heads={['Capture', 'Status', ['Amount', 'figure'], 'Due', 'Paid', 'Attempts', ['Levers', 'unseen']]}
      >
        {contract.installments.map((each) => {
          const { sequence, installment_number: number, status, amount, due_date, paid_at } = each;
          return (
            <tr key={sequence}>
              <td class="unbroken">{number === null ? 'Cart Capture' : `Installment ${number}`}</td>
              <td>
                <Badge of={status} />
              </td>
              <td class="figure">{money(amount)}</td>
              <td class="unbroken" data-head="due">
                {dateOf(due_date)}
              </td>
              <td class="when" data-head="paid">
                {paid_at === null ? NONE : <Moment at={paid_at} />}
              </td>
              <td>
                {attempts
                  .filter((attempt) => attempt.sequence === sequence)
                  .map(({ reference, outcome, late_charge_amount: late }) => (
                    <span key={reference} class={`badge ${outcome === 'pay' ? 'good' : 'bad'}`} title={reference}>
                      {outcome}
                      {late > 0 && ` + ${money(late)} late`}
                    </span>
                  ))}
              </td>
              <td class="levers">
                {contract.status === 'active' && isOverdue(status) && (
                  <Lever
                    {...settle(number)}
                    step={stepOf('settle', { contract: PLAN, installment: number })}
                  >{`Settle ${number}`}</Lever>
                )}
                <InstallmentLevers contract={contract} of={each} arranged={outcomes} />
              </td>
            </tr>
          );
        })}
      </Table>
    </Panel>
  );
}
