import { useLayoutEffect, useRef } from 'preact/hooks';
import { Copy } from './levers.tsx';

interface Props {
  readonly name: string;
  readonly value: string;
  /** Why to copy it now. */
  readonly hint: string;
  close(): void;
}

/** A secret that is shown until the user dismisses it or leaves the page. Its key is the secret: each one is scrolled to. */
export function Secret({ name, value, hint, close }: Props) {
  const ref = useRef<HTMLDivElement>(null);
  // The form that asked for it may be far below.
  useLayoutEffect(() => ref.current?.scrollIntoView({ block: 'nearest' }), []);
  return (
    <div class="secret" role="alert" data-testid="secret" ref={ref}>
      <p>
        <strong>{name}</strong>. {hint}
      </p>
      <div class="command">
        <pre>{value}</pre>
        <Copy text={value}>Copy</Copy>
        <button type="button" class="quiet" onClick={close}>
          Done
        </button>
      </div>
    </div>
  );
}
