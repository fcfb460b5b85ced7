import { useContext, useState } from 'preact/hooks';
import { isAutomatic } from '../../../domain/automatic-snapshot.ts';
import { WHOLE_LIST } from '../../../operations/list-query.ts';
import type { Snapshot } from '../../../operations/wire.ts';
import {
  deleteSnapshot,
  listSnapshots,
  reset as resetWorkspace,
  restoreSnapshot,
  saveSnapshot,
} from '../../../operations/workspace.ts';
import { AskError, ask } from '../ask.ts';
import { type Read, useRead } from '../live.ts';
import { TextField } from '../parts/fields.tsx';
import { Here } from '../parts/here.ts';
import { Fields } from '../parts/levers/errors.tsx';
import { Act, Lever } from '../parts/levers/levers.tsx';
import { quoted } from '../parts/levers/quoted.ts';
import { callOf } from '../parts/levers/snippets.ts';
import { say } from '../parts/levers/toast.tsx';
import { undoableChange } from '../parts/levers/undo.tsx';
import { Table } from '../parts/lists/table.tsx';
import { Shown } from '../parts/shown.tsx';
import { Empty, Moment, Page, Panel } from '../parts/ui.tsx';

export function SnapshotsView() {
  const read = useRead(listSnapshots, WHOLE_LIST);
  const automatic = useRead(listSnapshots, { query: { automatic: 'true' } });
  const reload = () => {
    read.reload();
    automatic.reload();
  };
  return (
    <Page title="Snapshots" lead="Saved copies of the whole workspace, with every account and clock.">
      <Kept of={read} reload={reload} />
      {automatic.data && automatic.data.length > 0 && <SavedAutomatically list={automatic.data} reload={reload} />}
      <StartOver />
    </Page>
  );
}

function Kept({ of: read, reload }: { of: Read<readonly Snapshot[]>; reload: () => void }) {
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
  // One set of fields: what is overwritten above also cures a refusal below.
  return (
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
                <Table label="Snapshots" heads={['Name', ...HEADS]}>
                  {list.map((snapshot) => (
                    <KeptRow
                      key={snapshot.name}
                      of={snapshot}
                      overwrite={() => save(true, snapshot.name)}
                      reload={reload}
                    />
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
  );
}

interface Row {
  readonly of: Snapshot;
  readonly reload: () => void;
}

function KeptRow({ of, overwrite, reload }: Row & { readonly overwrite: () => Promise<void> }) {
  const { name } = of;
  return (
    <tr data-testid="snapshot">
      <td>
        <strong>{name}</strong>
      </td>
      <WhenAndSize of={of} />
      <td class="levers">
        <Lever
          does={() => restore(name)}
          confirm={`This undoes everything that happened in every account since ${name} was saved. It can be undone right after.`}
          command={`layaway snapshots restore ${quoted(name)} --yes`}
          curl={callOf(restoreSnapshot, { params: { name } })}
        >
          Restore
        </Lever>
        <Act does={overwrite} confirm={`The current state replaces the snapshot ${name}.`}>
          Overwrite
        </Act>
        <Delete of={of} reload={reload} />
      </td>
    </tr>
  );
}

function SavedAutomatically({ list, reload }: { list: readonly Snapshot[]; reload: () => void }) {
  return (
    <Panel title="Saved automatically" flush>
      <p class="note">
        The dashboard saves the state before each clock move, restore and reset that you make in it, so that you can
        undo them. It keeps the latest five.
      </p>
      <Table label="Automatic snapshots" heads={['Saved before', ...HEADS]}>
        {list.map((snapshot) => (
          <tr key={snapshot.name} data-testid="automatic-snapshot">
            <td title={snapshot.name}>{whatFollowed(snapshot.name)}</td>
            <WhenAndSize of={snapshot} />
            <td class="levers">
              <Act
                does={() => restore(snapshot.name)}
                confirm="This undoes everything that happened in every account since then. It can be undone right after."
              >
                Restore
              </Act>
              <Delete of={snapshot} reload={reload} />
            </td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}

const HEADS = ['Saved, real time', ['Size', 'figure'], ['Levers', 'unseen']] as const;

const WhenAndSize = ({ of: { created_at, bytes } }: Pick<Row, 'of'>) => (
  <>
    <td class="when">
      <Moment at={created_at} />
    </td>
    <td class="figure">{Math.ceil(bytes / 1024).toLocaleString('en-US')} KiB</td>
  </>
);

const restore = (name: string) =>
  undoableChange('restore', () => ask(restoreSnapshot, { params: { name } }), `Restored ${called(name)}.`);

function Delete({ of: { name }, reload }: Row) {
  const remove = async () => {
    await ask(deleteSnapshot, { params: { name } });
    say(`${called(name)} is deleted.`);
    reload();
  };
  return (
    <Act kind="danger" does={remove} confirm="This cannot be undone.">
      Delete
    </Act>
  );
}

function StartOver() {
  const { trace } = useContext(Here);
  return (
    <Panel title="Start over">
      <p>
        {trace
          ? 'Deletes what the trace contains and begins an empty workspace. Snapshots are kept. To see the trace again, open its file again.'
          : 'Returns the workspace to the state that the simulator started with. Snapshots are kept.'}
      </p>
      <div class="actions start">
        <Lever
          kind="danger"
          does={() => undoableChange('reset', () => ask(resetWorkspace), 'The workspace is reset.')}
          confirm="This deletes every merchant, session, contract, event and email, in every account. It can be undone right after."
          command="layaway reset --yes"
          curl={callOf(resetWorkspace)}
        >
          Reset workspace
        </Lever>
      </div>
    </Panel>
  );
}

/** The action that followed an automatic snapshot: `a clock move`. */
function whatFollowed(name: string): string {
  const what = name.slice(name.lastIndexOf('-') + 1);
  if (what === 'travel') return 'a clock move';
  return what === 'undo' ? 'an undo' : `a ${what}`;
}

const called = (name: string) => (isAutomatic(name) ? `the state before ${whatFollowed(name)}` : name);
