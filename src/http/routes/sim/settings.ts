import type { FastifyInstance } from 'fastify';
import { settingsOf } from '../../../domain/merchant.ts';
import { bodyOf } from '../../body.ts';
import type { HttpContext } from '../../context.ts';
import { SettingsInput } from '../../settings-schema.ts';
import { validateStrictly } from '../../validate.ts';

export function simSettings(app: FastifyInstance, { engine }: HttpContext) {
  app.get('/_sim/settings', async ({ principal: { account } }) => ({ data: settingsOf(account) }));

  app.patch('/_sim/settings', async (request) => {
    const changes = validateStrictly(SettingsInput, bodyOf(request));
    return { data: settingsOf(engine.changeSettings(request.principal.account, changes)) };
  });
}
