import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { browserText } from './scripts/browser-text.ts';

/**
 * The suites that decide on a room. Suites that start the built program are left out, because no line is changed in it,
 * and so are those that take long and pass through the room only in passing.
 */
const SUITES: Record<string, readonly string[]> = {
  'domain/explain': [
    'test/domain/explain/*.test.ts',
    'test/http/sim/{absence,explain,explain-*}.test.ts',
    'test/walk/explain.test.ts',
  ],
  domain: ['test/domain/!(one-assumption).test.ts'],
  time: ['test/time/!(travel-killed).test.ts', 'test/http/sim/{absence,clock}.test.ts'],
  webhook: ['test/webhook/!(outbox|receivers*).test.ts', 'test/journeys/webhooks.test.ts'],
  engine: [
    'test/{engine,walk}/**/*.test.ts',
    'test/{time/{forecast,travel},trace/{scenario,trace},webhook/{courier,faults}}.test.ts',
    'test/journeys/{any-state,apart,causes,chaos,checkout,collection,dates,emails,request-log-kept,settings,webhooks}.test.ts',
    'test/http/v1/{auth,contracts,create-checks,faults,idempotency,sessions}.test.ts',
    'test/http/hosted.test.ts',
    'test/http/sim/{absence,clock,contracts,coverage,emails,events,faults,findings,forecast}.test.ts',
    'test/http/sim/{keep-listeners,keys,listeners,sessions,settings,triage,webhook-secret,workspace}.test.ts',
  ],
};
const suites = SUITES[process.env.MUTATE_ROOM ?? ''];
if (!suites) throw new Error(`Set MUTATE_ROOM to one of ${Object.keys(SUITES).join(', ')}, or use npm run mutate.`);

/** The suites that notice most come first, because the first failure ends the run of a change. */
const FIRST = ['/test/walk/random-walk', `/test/${process.env.MUTATE_ROOM}/`, '/test/journeys/', '/sim/explain.test'];

class NoticingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = FIRST.findIndex((name) => moduleId.includes(name));
      return place === -1 ? FIRST.length : place;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  plugins: [browserText()],
  test: {
    include: [...suites],
    sequence: { sequencer: NoticingFirst },
    pool: 'threads',
    runner: './scripts/first-failure.ts',
    // A change is switched on at run time, so suites can share the modules: loading them takes longer than most tests.
    isolate: false,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    globalSetup: ['test/setup/temporary-folder.ts'],
    // StrykerJS chooses tests by their titles, which name the seed; and each change pays for every step.
    env: { WALK_SEED: '1', WALK_STEPS: '3000', GOOD_STORE_STEPS: '300' },
  },
});
