import type { FastifyInstance } from 'fastify';
import { isAutomatic } from '../../../domain/automatic-snapshot.ts';
import { formatInstant } from '../../../domain/calendar.ts';
import {
  deleteSnapshot,
  exportTrace,
  listSnapshots,
  reset,
  restoreSnapshot,
  SnapshotName,
  saveAutomaticSnapshot,
  saveSnapshot,
} from '../../../operations/workspace.ts';
import type { Snapshot } from '../../../store/snapshots.ts';
import { partOf } from '../../answer/list.ts';
import type { HttpContext } from '../../context.ts';
import { validate } from '../../input/validate.ts';
import { serve } from '../../serve.ts';

/** Workspace levers: save and restore the whole state. */
export function simSnapshots(
  app: FastifyInstance,
  { workspace, notifier, store, realNow, version, flags }: HttpContext,
) {
  serve(app, listSnapshots, ({ query }) => {
    const wanted = workspace.snapshots.list().filter(({ name }) => isAutomatic(name) === (query.automatic === 'true'));
    return { data: partOf(query, wanted, ({ name }) => name).map(snapshotView) };
  });

  serve(app, saveSnapshot, async ({ body }) => {
    const { name, overwrite = false } = body();
    const snapshot = await workspace.snapshots.save(name, { overwrite });
    notifier.tellAll();
    return { data: snapshotView(snapshot) };
  });

  serve(app, saveAutomaticSnapshot, async ({ body }) => {
    const snapshot = await workspace.snapshots.saveAutomatically(body().before);
    return { data: snapshot && snapshotView(snapshot) };
  });

  serve(app, restoreSnapshot, async ({ params }) => {
    const { name } = validate(SnapshotName, params);
    return { data: snapshotView(await workspace.snapshots.restore(name)) };
  });

  serve(app, deleteSnapshot, ({ params }) => {
    workspace.snapshots.remove(validate(SnapshotName, params).name);
    notifier.tellAll();
  });

  serve(app, exportTrace, async () => ({
    data: {
      layaway: version,
      saved_at: formatInstant(realNow()),
      seed: store.workspace.seed(),
      flags,
      ...(await workspace.trace()),
    },
  }));

  serve(app, reset, async () => {
    await workspace.reset();
    return { data: { reset: true } };
  });
}

const snapshotView = ({ name, createdAt, bytes }: Snapshot) => ({ name, created_at: formatInstant(createdAt), bytes });
