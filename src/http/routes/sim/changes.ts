import type { FastifyInstance } from 'fastify';
import { browseChanges } from '../../../operations/browse.ts';
import type { HttpContext } from '../../context.ts';
import { serve } from '../../serve.ts';
import type { Notice } from '../../stream/notifier.ts';
import { openStream } from '../../stream/stream.ts';

/** The stream that makes an open dashboard read again. */
export function simChanges(app: FastifyInstance, ctx: HttpContext) {
  const { engine, notifier, requestLog } = ctx;

  /**
   * Server-sent: says that there is something new to read, not what. All changes of one stretch of work are announced
   * once, so that a reader gets only a few messages during an advance over thousands of events. A request that changed
   * nothing is new only to the request log. A reader that was away learns from `state` whether a reset or a restore replaced
   * what it knows.
   */
  serve(app, browseChanges, ({ account, key, reply }) => {
    const unsubscribe: (() => void)[] = [];
    const owed = new Set<Notice | 'request'>();
    const stream = openStream(ctx, { account, key }, reply, {
      onDrain: sendOwed,
      onClose() {
        for (const end of unsubscribe) end();
      },
    });
    /** A slow reader gets one message when it has caught up. */
    function sendOwed() {
      if (!stream.hasRoom()) return;
      for (const event of owed) stream.send({ event, data: event === 'restart' ? state() : '{}' });
      owed.clear();
    }
    const state = () => JSON.stringify({ state: engine.journal.generation() });
    const tell = (notice: Notice | 'request') => {
      if (owed.size === 0) queueMicrotask(sendOwed);
      owed.add(notice);
    };
    unsubscribe.push(
      notifier.subscribe(account.id, tell),
      requestLog.subscribe((clientId) => {
        if (clientId === account.clientId) tell('request');
      }),
    );
    stream.send({ event: 'open', data: state() });
    return reply;
  });
}
