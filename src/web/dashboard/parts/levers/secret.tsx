import { Copy } from './levers.tsx';

/** A secret that is shown once, until the user dismisses it or leaves the page. */
export function Secret({ name, value, close }: { name: string; value: string; close: () => void }) {
  return (
    <div class="secret" role="alert" data-testid="secret">
      <p>
        <strong>{name}</strong>. It is shown only once. Copy it now.
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
