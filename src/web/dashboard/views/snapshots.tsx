import { useState } from 'preact/hooks';
import {
  deleteSnapshot,
  listSnapshots,
  reset as resetWorkspace,
  restoreSnapshot,
  saveSnapshot,
} from '../../../operations/workspace.ts';
import { ask } from '../ask.ts';
import { forgetAll, stir, useRead } from '../live.ts';
import { callOf } from '../parts/clip.ts';
import { Act, Form, Lever } from '../parts/levers.tsx';
import { quoted } from '../parts/quoted.ts';
import { say } from '../parts/toast.tsx';
import { Empty, Field, Moment, Page, Panel, Shown, Table } from '../parts/ui.tsx';

export function SnapshotsView() {
  const read = useRead(listSnapshots);
  const [name, setName] = useState('');
  const save = async (overwrite: boolean, as = name.trim()) => {
    await ask(saveSnapshot, { body: { name: as, overwrite } });
    say(`Saved as ${as}.`);
    setName('');
    read.reload();
  };
  const restore = (as: string) => async () => {
    await ask(restoreSnapshot, { params: { name: as } });
    say(`Restored ${as}.`);
    forgetAll();
    stir();
  };
  const remove = (as: string) => async () => {
    await ask(deleteSnapshot, { params: { name: as } });
    say(`${as} is deleted.`);
    read.reload();
  };
  const reset = async () => {
    await ask(resetWorkspace);
    say('The workspace is reset.');
    forgetAll();
    stir();
  };
  return (
    <Page title="Snapshots" lead="Saved copies of the whole workspace, with every account and clock.">
      <Panel title="Kept" flush>
        <Shown of={read}>
          {(list) =>
            list.length === 0 ? (
              <Empty run="layaway snapshots save before-the-test">
                There are no snapshots yet. Save one below, or run:
              </Empty>
            ) : (
              <Table label="Snapshots" heads={['Name', 'Saved, real time', ['Size', 'figure'], ['Levers', 'unseen']]}>
                {list.map(({ name: each, created_at, bytes }) => (
                  <tr key={each} data-testid="snapshot">
                    <td>
                      <strong>{each}</strong>
                    </td>
                    <td class="when">
                      <Moment at={created_at} />
                    </td>
                    <td class="figure">{Math.ceil(bytes / 1024).toLocaleString('en-US')} KiB</td>
                    <td class="levers">
                      <Lever
                        kind="strong"
                        does={restore(each)}
                        confirm={`This undoes everything that happened in every account since ${each} was saved.`}
                        command={`layaway snapshots restore ${quoted(each)} --yes`}
                        curl={callOf(restoreSnapshot, { params: { name: each } })}
                      >
                        Restore
                      </Lever>
                      <Act does={() => save(true, each)} confirm={`The current state replaces the snapshot ${each}.`}>
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
        <Form>
          <Field label="Save everything as" hint="a-z, 0-9, dot, dash and underscore">
            {(id, hint) => (
              <input
                id={id}
                aria-describedby={hint}
                value={name}
                maxLength={64}
                spellcheck={false}
                autocapitalize="off"
                onInput={(event) => setName(event.currentTarget.value)}
              />
            )}
          </Field>
          <Lever
            kind="strong"
            submits
            does={() => save(false)}
            disabled={name.trim() === ''}
            command={`layaway snapshots save ${name.trim() === '' ? 'my-snapshot' : quoted(name.trim())}`}
          >
            Save
          </Lever>
        </Form>
      </Panel>
      <Panel title="Start over">
        <p>Returns the workspace to the state that the simulator started with. Snapshots are kept.</p>
        <div class="actions start">
          <Lever
            kind="danger"
            does={reset}
            confirm="This deletes every merchant, session, contract, event and email, in every account."
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
