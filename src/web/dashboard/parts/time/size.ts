import { useLayoutEffect, useState } from 'preact/hooks';

/** The width of a digit in a label. */
export const DIGIT = 7.5;

const MIN_WIDTH = 200;
/** The usual size of text, in pixels. */
const USUAL = 16;

/** The room for a drawing. */
export interface Room {
  /** In units of the drawing. */
  readonly width: number;
  /** Pixels for each unit. A drawing grows with the text that the user asked for, as far as there is room. */
  readonly unit: number;
}

/** The room in an element, known before its first paint. */
export function useRoom(ref: { current: Element | null }): Room {
  const [room, setRoom] = useState<Room>({ width: MIN_WIDTH, unit: 1 });
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = () => {
      const asked = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / USUAL;
      const unit = Math.min(asked, Math.max(1, element.clientWidth / MIN_WIDTH));
      const width = Math.max(MIN_WIDTH, element.clientWidth / unit);
      setRoom((old) => (old.width === width && old.unit === unit ? old : { width, unit }));
    };
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    return () => watch.disconnect();
  }, [ref]);
  return room;
}
