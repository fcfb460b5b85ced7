import { useLayoutEffect, useState } from 'preact/hooks';

/** The width of a digit in a label. */
export const DIGIT = 7.5;

const MIN_WIDTH = 200;

/** The width of an element, known before its first paint. */
export function useWidth(ref: { current: Element | null }): number {
  const [width, setWidth] = useState(MIN_WIDTH);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = () => setWidth(Math.max(MIN_WIDTH, element.clientWidth));
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    return () => watch.disconnect();
  }, [ref]);
  return width;
}
