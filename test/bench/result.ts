import type { Line } from '../../bench/figure.ts';
import { type Result, type Run, resultOf } from '../../bench/result.ts';

/** A line of a ratio of `ratio` whose noise is `noise`. */
export const aLine = (name: string, ratio: number, noise = 0, unit: Line['unit'] = '/s'): Line => ({
  name,
  unit,
  ours: [100 * ratio],
  reference: [
    [100 * (1 + noise), 100],
    [100, 100],
  ],
  target: { atLeast: 0.7 },
});

export const aResult = (...line: Parameters<typeof aLine>): Result => ({
  ...resultOf('figure', aLine(...line)),
  worth: line[1],
});

export const aRun = (figures: readonly Result[], changed: Partial<Run> = {}): Run => ({
  startedAt: '2026-01-02T03:04:05.678Z',
  machine: { cpu: 'Processor', cores: 4, memoryGb: 16, system: 'Linux 6.1' },
  loadAverage: [0.04, 1.26],
  node: 'v20.19.0',
  commit: '0123456789ab',
  effort: 'full',
  figures,
  failures: [],
  skipped: [],
  ...changed,
});
