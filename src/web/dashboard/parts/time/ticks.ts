import { useEffect, useState } from 'preact/hooks';

/** Milliseconds since `from`, updated every second while `runs`. */
export function useTicks(runs: boolean, from: number): number {
  const [, tick] = useState(0);
  useEffect(() => {
    if (!runs) return;
    const timer = setInterval(() => tick((n) => n + 1), 1_000);
    return () => clearInterval(timer);
  }, [runs]);
  return runs ? Math.floor((performance.now() - from) / 1_000) * 1_000 : 0;
}
