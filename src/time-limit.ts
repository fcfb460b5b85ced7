import { type Context, createContext, Script } from 'node:vm';

/** The work was stopped: it took longer than it was given. */
export class TookTooLong extends Error {}

const script = new Script('work()');
let context: Context | undefined;

/**
 * Does what strangers' texts and expressions ask for, and stops it in the middle when it takes too long. It must await
 * nothing, and leave nothing behind half done.
 * @throws TookTooLong
 */
export function inTime<T>(limitMs: number, work: () => T): T {
  context ??= createContext(Object.create(null));
  const outer = context.work;
  context.work = work;
  try {
    return script.runInContext(context, { timeout: Math.ceil(limitMs) });
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw new TookTooLong();
    throw error;
  } finally {
    context.work = outer;
  }
}
