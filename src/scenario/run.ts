import type { ChaosOptions } from '../domain/chaos.ts';
import { type Exchange, exchange } from '../exchange.ts';
import { readScenario, scenarioOf } from './file.ts';
import { neutral } from './neutral.ts';
import { play } from './play.ts';
import type { ScenarioResult } from './result.ts';
import { type Dependencies, ownStage, refuseOwn, stageOn } from './stage.ts';

/** How a scenario went. The same seed gives the same report on every run. */
export type ScenarioReport = Omit<ScenarioResult, 'changing'>;

export interface ScenarioOptions {
  /** Fixes every id, token, reference and key. Has no effect with `sim`, which has its own. @default 1 */
  readonly seed?: number | string;
  /** Adds random faults. Not together with `sim`, which has its own. */
  readonly chaos?: ChaosOptions;
  /** A running simulator to play the scenario on, with a merchant of its own. */
  readonly sim?: { readonly url: string; readonly controlToken: string };
}

/**
 * Plays one scenario, given as a file or as its content, on a simulator of its own unless one is given.
 * @throws Error when `chaos` is given together with `sim`
 */
export async function runScenario(
  source: string | object,
  { seed = 1, chaos, sim }: ScenarioOptions,
  world: Omit<Dependencies, 'exchange'>,
): Promise<ScenarioReport> {
  if (sim && chaos) throw new Error('chaos is an option of createSimulator(): pass it there.');
  const read = typeof source === 'string' ? await readScenario(source) : scenarioOf(source);
  if (sim) refuseOwn(read, 'Play it without `sim`.');
  const dependencies = { ...world, exchange: explained };
  const stage = sim
    ? await stageOn(read, { ...dependencies, url: sim.url, controlToken: sim.controlToken })
    : await ownStage(read, { seed, chaos }, dependencies);
  try {
    return neutral(await play(read, stage, () => undefined));
  } finally {
    await stage.close();
  }
}

const explained: Exchange = async (outgoing) => {
  try {
    return await exchange(outgoing);
  } catch (cause) {
    const { origin } = new URL(outgoing.url);
    const why = (cause as Error).message;
    throw new Error(`${origin} gave no response: ${why}. Check that the simulator is still running.`, { cause });
  }
};
