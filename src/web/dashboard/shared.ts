import { useEffect, useState } from 'preact/hooks';

/** A value outside of the components. Those that use it are drawn again when it changes. */
export function shared<T>(first: T) {
  let value = first;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next: T) {
      value = next;
      for (const listener of [...listeners]) listener();
    },
    use(): T {
      const [shown, show] = useState(value);
      useEffect(() => {
        const listener = () => show(value);
        listener();
        listeners.add(listener);
        return () => void listeners.delete(listener);
      }, []);
      return shown;
    },
  };
}
