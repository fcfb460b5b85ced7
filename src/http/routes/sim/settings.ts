import type { FastifyInstance } from 'fastify';
import { settingsOf } from '../../../domain/merchant.ts';
import { getSettings, updateSettings } from '../../../operations/settings.ts';
import type { HttpContext } from '../../context.ts';
import { createRequestVerbs } from '../../request-verbs.ts';
import { serve } from '../../serve.ts';

export function simSettings(app: FastifyInstance, ctx: HttpContext) {
  const { by } = createRequestVerbs(ctx);

  serve(app, getSettings, ({ account }) => ({ data: settingsOf(account) }));
  serve(app, updateSettings, ({ account, body, request }) => {
    const { before, after } = by(request).changeSettings(account, body());
    request.replaced = before;
    return { data: after };
  });
}
