import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Strike } from '../../../engine/fault.ts';
import type { HttpContext } from '../../context.ts';

/** Holds back answers that a `slow` fault struck. */
export function createDelays(app: FastifyInstance, ctx: HttpContext) {
  /** Ends the wait of each answer that is delayed. */
  const delayed = new Set<() => void>();
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
    for (const end of delayed) end();
  });

  /**
   * Delays only this answer. If the client leaves or the server closes, the wait ends. Only then is it known what the store
   * has met.
   */
  function later(
    { account, delayMs }: Strike,
    request: FastifyRequest,
    reply: FastifyReply,
    payload: string | null,
    send: (error: Error | null) => void,
  ) {
    const isSameState = ctx.coverage.watch(account);
    const note = (answer: string | null) => {
      if (!isClosing && isSameState()) app.noteMet(request, reply, answer);
    };
    const leave = () => {
      off();
      delayed.delete(end);
      reported(ctx, () => {
        note(null);
        app.tellOf(request, reply);
      });
    };
    const end = () => {
      reply.raw.off('close', leave);
      leave();
      reply.raw.destroy();
    };
    delayed.add(end);
    const off = ctx.after(delayMs ?? 0, () => {
      reply.raw.off('close', leave);
      delayed.delete(end);
      try {
        note(payload);
      } catch (error) {
        return send(error as Error);
      }
      const committed = ctx.store.committed();
      if (committed) committed.then(() => send(null), send);
      else send(null);
    });
    reply.raw.once('close', leave);
  }

  return {
    later,
    /** Then no wait may begin. */
    isClosing: () => isClosing,
  };
}

/** Runs work after which nobody is answered. Its error, such as a full disk, must not end the process. */
export function reported({ fault }: Pick<HttpContext, 'fault'>, work: () => void) {
  try {
    work();
  } catch (error) {
    fault(error);
  }
}
