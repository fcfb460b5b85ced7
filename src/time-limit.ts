import { type Context, createContext, Script } from 'node:vm';
import { codeOf } from './domain/error-code.ts';

/** The work was stopped: it took longer than it was given. */
export class TookTooLong extends Error {}

const script = new Script('work()');
let context: Context | undefined;

/** How much longer than on an idle machine the work may take before it is stopped in any case. */
const PATIENCE = 16;

/**
 * Runs work on texts and expressions of strangers, and stops it when it has used more than `limitMs` of processor time.
 * On a busy machine the work gets little of the time that passes; then it starts again and gets more. It must therefore
 * be synchronous, and must not leave anything half done.
 * @throws TookTooLong
 */
export function inTime<T>(limitMs: number, work: () => T): T {
  for (let wallMs = limitMs; ; wallMs *= 2) {
    const before = process.cpuUsage();
    try {
      return interruptible(Math.ceil(wallMs), work);
    } catch (error) {
      if (codeOf(error) !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      const { user, system } = process.cpuUsage(before);
      if ((user + system) / 1000 >= limitMs || wallMs >= limitMs * PATIENCE) throw new TookTooLong();
    }
  }
}

function interruptible<T>(timeout: number, work: () => T): T {
  context ??= createContext(Object.create(null));
  const outer = context.work;
  context.work = work;
  try {
    return script.runInContext(context, { timeout });
  } finally {
    context.work = outer;
  }
}
