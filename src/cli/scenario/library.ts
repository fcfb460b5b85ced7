import { Unreadable } from '../../yaml.ts';
import { usage } from '../exit.ts';
import { parseScenario, type ReadScenario, readScenarios } from './file.ts';
import { play, type ScenarioResult } from './play.ts';
import { neutral } from './report/neutral.ts';
import { ownStage, stageOn } from './stage.ts';

/** How a scenario went; nothing in it differs from play to play under one seed. */
export type ScenarioReport = Omit<ScenarioResult, 'addresses'>;

export interface ScenarioOptions {
  /** Fixes every id, token, reference and key. @default 1 */
  readonly seed?: number;
  /** A simulator that runs: the scenario is played on it, as a merchant of its own. */
  readonly sim?: { readonly url: string; readonly controlToken: string };
}

/** Plays one scenario, a file or what one would hold, on a simulator of its own unless one is given. */
export async function runScenario(
  source: string | object,
  { seed = 1, sim }: ScenarioOptions = {},
): Promise<ScenarioReport> {
  const { file, scenario, placeOf } = await read(source);
  const stage = sim
    ? await stageOn(file, scenario, sim.url, sim.controlToken, 'Play it without one.')
    : await ownStage(scenario, seed);
  try {
    return neutral(await play(file, scenario, stage, () => undefined, placeOf));
  } finally {
    await stage.close();
  }
}

async function read(source: string | object): Promise<ReadScenario> {
  if (typeof source === 'string') {
    const [only] = await readScenarios([source]);
    if (only) return only;
  }
  try {
    return parseScenario('scenario', JSON.stringify(source));
  } catch (error) {
    throw error instanceof Unreadable ? usage(error.message) : error;
  }
}
