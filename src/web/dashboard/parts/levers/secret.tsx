import { useLayoutEffect, useRef } from 'preact/hooks';
import { askedFor } from '../../ask.ts';
import { stateEpoch } from '../../live.ts';
import { shared } from '../../shared.ts';
import { Copy } from './levers.tsx';

interface Told {
  /** What it belongs to. Null if another state may have that with another secret. */
  readonly id: string | null;
}

/** By account and name, each with the state that it was told in. */
const held = shared<ReadonlyMap<string, { readonly epoch: number; readonly of: Told } | null>>(new Map());

/**
 * What the simulator told only once about something in `list`, in the account shown. It survives other views, but neither
 * a reload nor a reset or restore that took away what it belongs to.
 */
export function useToldOnce<T extends Told>(name: string, list: readonly { readonly id: string }[] = []) {
  const place = `${askedFor()} ${name}`;
  const told = held.use().get(place);
  const isThere = told?.epoch === stateEpoch() || list.some(({ id }) => id === told?.of.id);
  const tell = (of: T | null) => held.set(new Map(held.get()).set(place, of && { epoch: stateEpoch(), of }));
  return [told && isThere ? (told.of as T) : null, tell] as const;
}

interface Props {
  readonly name: string;
  readonly value: string;
  /** Why to copy it now. */
  readonly hint: string;
  close(): void;
}

/** A secret that is shown until the user dismisses it. Its key is the secret: each one is scrolled to. */
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
