import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** As much as an idle server needs anyway. */
const BYTES = 8 * 2 ** 20;

/**
 * Stops the growth of V8's young generation at 8 MB; it would reach 32 MB or more. V8 keeps that memory for a minute after
 * a load, and requests leave so little garbage that it makes none of them faster. The limit itself can be set only when a
 * process starts.
 */
export function limitYoungGeneration() {
  const observer = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    if (!young || young.space_size < BYTES) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}
