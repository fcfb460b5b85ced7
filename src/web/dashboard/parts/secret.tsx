import { Copy } from './levers.tsx';

/** What is shown once: it is gone when it is put away, or when the page is left. */
export function Secret({ name, value, close }: { name: string; value: string; close: () => void }) {
  return (
    <div class="secret" role="alert" data-testid="secret">
      <p>
        <strong>{name}</strong>. It is shown this once; copy it now.
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
