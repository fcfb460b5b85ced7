import { useContext, useState } from 'preact/hooks';
import { isAutomatic } from '../../../domain/automatic-snapshot.ts';
import { WHOLE_LIST } from '../../../operations/list-query.ts';
import {
  deleteSnapshot,
  listSnapshots,
  reset as resetWorkspace,
  restoreSnapshot,
  saveSnapshot,
} from '../../../operations/workspace.ts';
import { AskError, ask } from '../ask.ts';
import { useRead } from '../live.ts';
import { TextField } from '../parts/fields.tsx';
import { Here } from '../parts/here.ts';
import { callOf } from '../parts/levers/clip.ts';
import { Fields } from '../parts/levers/errors.tsx';
import { Act, Lever } from '../parts/levers/levers.tsx';
import { quoted } from '../parts/levers/quoted.ts';
import { say } from '../parts/levers/toast.tsx';
import { undoableChange } from '../parts/levers/undo.tsx';
import { Empty, Moment, Page, Panel, Shown, Table } from '../parts/ui.tsx';

export function SnapshotsView() {
  const { trace } = useContext(Here);
  const read = useRead(listSnapshots, WHOLE_LIST);
  const automatic = useRead(listSnapshots, { query: { automatic: 'true' } });
  const [name, setName] = useState('');
  const save = async (overwrite: boolean, as = name.trim()) => {
    try {
      await ask(saveSnapshot, { body: { name: as, overwrite } });
    } catch (error) {
      if (!(error instanceof AskError) || error.status !== 409) throw error;
      throw new AskError(409, error.message, {
        name: [`There is already a snapshot named ${as}. Overwrite it above.`],
      });
    }
    say(`Saved as ${as}.`);
    // Another name that is being typed stays.
    setName((now) => (now.trim() === as ? '' : now));
    read.reload();
  };
  const restore = (as: string) => async () => {
    await undoableChange('restore', () => ask(restoreSnapshot, { params: { name: as } }), `Restored ${called(as)}.`);
  };
  const remove = (as: string) => async () => {
    await ask(deleteSnapshot, { params: { name: as } });
    say(`${called(as)} is deleted.`);
    read.reload();
    automatic.reload();
  };
  const reset = async () => {
    await undoableChange('reset', () => ask(resetWorkspace), 'The workspace is reset.');
  };
  return (
    <Page title="Snapshots" lead="Saved copies of the whole workspace, with every account and clock.">
      {/* One set of fields: what is overwritten above also cures a refusal below. */}
      <Fields>
        {() => (
          <Panel title="Kept" flush>
            <Shown of={read}>
              {(list) =>
                list.length === 0 ? (
                  <Empty run="layaway snapshots save before-the-test">
                    There are no snapshots yet. Save one below, or run:
                  </Empty>
                ) : (
                  <Table
                    label="Snapshots"
                    heads={['Name', 'Saved, real time', ['Size', 'figure'], ['Levers', 'unseen']]}
                  >
                    {list.map(({ name: each, created_at, bytes }) => (
                      <tr key={each} data-testid="snapshot">
                        <td>
                          <strong>{each}</strong>
                        </td>
                        <td class="when">
                          <Moment at={created_at} />
                        </td>
                        <td class="figure">{kibibytes(bytes)}</td>
                        <td class="levers">
                          <Lever
                            kind="strong"
                            does={restore(each)}
                            confirm={`This undoes everything that happened in every account since ${each} was saved. It can be undone right after.`}
                            command={`layaway snapshots restore ${quoted(each)} --yes`}
                            curl={callOf(restoreSnapshot, { params: { name: each } })}
                          >
                            Restore
                          </Lever>
                          <Act
                            does={() => save(true, each)}
                            confirm={`The current state replaces the snapshot ${each}.`}
                          >
                            Overwrite
                          </Act>
                          <Act kind="danger" does={remove(each)} confirm={`This cannot be undone.`}>
                            Delete
                          </Act>
                        </td>
                      </tr>
                    ))}
                  </Table>
                )
              }
            </Shown>
            <form class="add" noValidate onSubmit={(event) => event.preventDefault()}>
              <TextField
                label="Save everything as"
                name="name"
                hint="a-z, 0-9, dot, dash and underscore"
                maxLength={64}
                spellcheck={false}
                autocapitalize="off"
                value={name}
                set={setName}
              />
              <Lever
                kind="strong"
                submits
                does={() => save(false)}
                disabled={name.trim() === ''}
                command={`layaway snapshots save ${name.trim() === '' ? 'my-snapshot' : quoted(name.trim())}`}
              >
                Save
              </Lever>
            </form>
          </Panel>
        )}
      </Fields>
      {automatic.data && automatic.data.length > 0 && (
        <Panel title="Saved automatically" flush>
          <p class="note">
            The dashboard saves the state before each clock move, restore and reset that you make in it, so that you can
            undo them. It keeps the latest five.
          </p>
          <Table
            label="Automatic snapshots"
            heads={['Saved before', 'Saved, real time', ['Size', 'figure'], ['Levers', 'unseen']]}
          >
            {automatic.data.map(({ name: each, created_at, bytes }) => (
              <tr key={each} data-testid="automatic-snapshot">
                <td title={each}>{whatFollowed(each)}</td>
                <td class="when">
                  <Moment at={created_at} />
                </td>
                <td class="figure">{kibibytes(bytes)}</td>
                <td class="levers">
                  <Act
                    kind="strong"
                    does={restore(each)}
                    confirm="This undoes everything that happened in every account since then. It can be undone right after."
                  >
                    Restore
                  </Act>
                  <Act kind="danger" does={remove(each)} confirm="This cannot be undone.">
                    Delete
                  </Act>
                </td>
              </tr>
            ))}
          </Table>
        </Panel>
      )}
      <Panel title="Start over">
        <p>
          {trace
            ? 'Deletes what the trace contains and begins an empty workspace. Snapshots are kept. To see the trace again, open its file again.'
            : 'Returns the workspace to the state that the simulator started with. Snapshots are kept.'}
        </p>
        <div class="actions start">
          <Lever
            kind="danger"
            does={reset}
            confirm="This deletes every merchant, session, contract, event and email, in every account. It can be undone right after."
            command="layaway reset --yes"
            curl={callOf(resetWorkspace)}
          >
            Reset workspace
          </Lever>
        </div>
      </Panel>
    </Page>
  );
}

const kibibytes = (bytes: number) => `${Math.ceil(bytes / 1024).toLocaleString('en-US')} KiB`;

/** The action that followed an automatic snapshot: `a clock move`. */
function whatFollowed(name: string): string {
  const what = name.slice(name.lastIndexOf('-') + 1);
  if (what === 'travel') return 'a clock move';
  return what === 'undo' ? 'an undo' : `a ${what}`;
}

const called = (name: string) => (isAutomatic(name) ? `the state before ${whatFollowed(name)}` : name);
