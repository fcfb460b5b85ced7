import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { formatInstant } from '../../../domain/calendar.ts';
import type { Snapshot } from '../../../store/snapshots.ts';
import { bodyOf } from '../../body.ts';
import type { HttpContext } from '../../context.ts';
import { partOf } from '../../list.ts';
import { validate, validateStrictly } from '../../validate.ts';

/** `.` and `..` are no names: no path could end in them. */
const SnapshotInput = Type.Object({
  name: Type.String({ pattern: '^(?!\\.{1,2}$)[a-z0-9._-]{1,64}$' }),
  overwrite: Type.Optional(Type.Boolean()),
});
const SnapshotName = Type.Object({ name: SnapshotInput.properties.name });

/** Workspace levers: the whole state, kept and brought back. */
export function simSnapshots(app: FastifyInstance, { workspace, news }: HttpContext) {
  app.get<{ Querystring: Record<string, unknown> }>('/_sim/snapshots', async ({ query }) => ({
    data: partOf(query, workspace.snapshots.list(), ({ name }) => name).map(snapshotView),
  }));

  app.post('/_sim/snapshots', async (request, reply) => {
    const { name, overwrite = false } = validateStrictly(SnapshotInput, bodyOf(request));
    const snapshot = await workspace.snapshots.save(name, overwrite);
    news.tellAll();
    return reply.code(201).send({ data: snapshotView(snapshot) });
  });

  app.post<{ Params: { name: string } }>('/_sim/snapshots/:name/restore', async ({ params }) => {
    const { name } = validate(SnapshotName, params);
    return { data: snapshotView(await workspace.snapshots.restore(name)) };
  });

  app.delete<{ Params: { name: string } }>('/_sim/snapshots/:name', async ({ params }, reply) => {
    workspace.snapshots.remove(validate(SnapshotName, params).name);
    news.tellAll();
    return reply.code(204).send();
  });

  app.post('/_sim/reset', async () => {
    await workspace.reset();
    return { data: { reset: true } };
  });
}

const snapshotView = ({ name, createdAt, bytes }: Snapshot) => ({ name, created_at: formatInstant(createdAt), bytes });
