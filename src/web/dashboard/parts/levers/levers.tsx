import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Operation } from '../../../../operations/operation.ts';
import { AskError, type Asked, ask, type Data } from '../../ask.ts';
import { refresh } from '../../live.ts';
import { Fields, useRefusals } from './errors.tsx';
import { type Open, opener } from './opener.ts';
import { type Call, callOf, commandsOf, curlOf } from './snippets.ts';
import { teller } from './toast.tsx';

export function Copy({ text, children, name }: { text: string; children: ComponentChildren; name?: string }) {
  const [copied, setCopied] = useState(false);
  const [isRefused, setRefused] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      setRefused(true);
    }
  };
  return (
    <>
      <button
        type="button"
        class="quiet"
        onClick={copy}
        title={text.length < 400 ? text : undefined}
        aria-label={copied ? undefined : name}
      >
        {copied ? 'Copied' : children}
        <span class="unseen" role="status">
          {copied ? 'Copied to the clipboard' : ''}
        </span>
      </button>
      {isRefused && <ByHand text={text} close={() => setRefused(false)} />}
    </>
  );
}

/** Browsers offer the clipboard only over https and on loopback addresses, and may refuse it. */
function ByHand({ text, close }: { text: string; close: () => void }) {
  const shown = useRef<HTMLPreElement>(null);
  // After the effect that opens the dialog and moves the focus.
  useEffect(() => {
    shown.current?.focus();
    getSelection()?.selectAllChildren(shown.current as Node);
  }, []);
  return (
    <Dialog title="Copy it from here" close={close}>
      <p>The browser does not allow this page to copy. The text is selected: copy it with the keyboard or the menu.</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre ref={shown} class="json" tabIndex={0}>
        {text}
      </pre>
      <div class="actions">
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

/** The same action as a curl call, a scenario step or a command to paste. */
interface Pasted {
  readonly curl?: Call | undefined;
  readonly step?: string | undefined;
  readonly command?: string | undefined;
}

/** Buttons that copy an action in each form. `short` labels fit beside its lever. */
export function CopyAs({ name, curl, step, command, short = false }: Pasted & { name: string; short?: boolean }) {
  const forms = [
    ['curl', curl && curlOf(curl)],
    ['scenario step', step],
    ['command', command && commandsOf(command)],
  ] as const;
  return (
    <>
      {forms.map(
        ([form, text]) =>
          text !== undefined && (
            <Copy key={form} text={text} name={`Copy as ${form}: ${name}`}>
              {short ? form.split(' ').at(-1) : `Copy as ${form}`}
            </Copy>
          ),
      )}
    </>
  );
}

interface ActProps {
  does: () => Promise<unknown>;
  children: string;
  kind?: 'plain' | 'strong' | 'danger';
  /** The text of a dialog that asks for confirmation first. */
  confirm?: string | undefined;
  disabled?: boolean;
  /** Whether Enter in a field of its form also triggers it. */
  submits?: boolean;
}

/** The second click of a double click may hit what the first one put there, such as the answer to its question. */
export const isSecond = ({ detail }: MouseEvent) => detail > 1;

/** A button that ignores clicks until its work is done, and while it is disabled. It keeps the focus. */
export function Act({ does, children, kind = 'plain', confirm, disabled = false, submits = false }: ActProps) {
  const [busy, setBusy] = useState(false);
  const [asking, setAsking] = useState(false);
  const { refuse, clearAll } = useRefusals();
  const work = async () => {
    if (busy || disabled) return;
    const tell = teller();
    setAsking(false);
    setBusy(true);
    try {
      await does();
      // A refusal at one field may have been cured by a change of another.
      clearAll();
    } catch (error) {
      if (error instanceof AskError && refuse(error)) return;
      tell(error instanceof AskError ? error.message : String(error), 'bad');
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <button
        type={submits ? 'submit' : 'button'}
        class={kind}
        aria-disabled={busy || disabled}
        aria-busy={busy}
        onClick={(event) => isSecond(event) || (confirm === undefined || disabled ? work() : setAsking(true))}
      >
        {children}
      </button>
      {asking && (
        <Dialog title={children} close={() => setAsking(false)}>
          <p>{confirm}</p>
          <div class="actions">
            <button type="button" onClick={() => setAsking(false)}>
              Go back
            </button>
            <button type="button" class={kind === 'danger' ? 'danger' : 'strong'} onClick={work}>
              {children}
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

/** Fields and the lever that submits them. The simulator validates them; errors appear at their fields. */
export const Form = ({ children }: { children: ComponentChildren }) => (
  <Fields>
    {() => (
      <form class="add" noValidate onSubmit={(event) => event.preventDefault()}>
        {children}
      </form>
    )}
  </Fields>
);

/** Rarely used levers behind one button. */
export const Menu = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <details class="menu">
    <summary aria-label={name}>Levers</summary>
    <div class="actions start">{children}</div>
  </details>
);

/** An action with its copy buttons. */
export function Lever({ children, curl, step, command, ...act }: ActProps & Pasted) {
  return (
    <span class="lever">
      <Act {...act}>{children}</Act>
      <CopyAs name={children} curl={curl} step={step} command={command} short />
    </span>
  );
}

/**
 * The props of a lever that calls an operation, and copies the same call. `told` is what it then says: a sentence, or a
 * function of the answer, which may return null. It can open what the call made.
 */
export const leverOf = <O extends Operation>(
  operation: O,
  told: string | ((data: Data<O>, open: Open) => string | null),
  ...input: Asked<O>
) => ({
  does: async () => {
    const [open, tell] = [opener(), teller()];
    const data = await ask(operation, ...input);
    const text = typeof told === 'string' ? told : told(data, open);
    if (text !== null) tell(text);
    refresh();
  },
  curl: callOf(operation, ...input),
});

/**
 * Props that keep a dialog open while it is rendered. `close` must stop rendering it; the focus then returns to where it
 * was. The close event arrives late, when the next dialog may be open, so it counts only while this one is rendered.
 */
export function useModal(close: () => void) {
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  const onCancel = (event: Event) => {
    event.preventDefault();
    close();
  };
  // A browser may close it without a cancel event, for example at a second Escape.
  const onClose = () => void (ref.current && close());
  return { ref, onCancel, onClose };
}

interface DialogProps {
  title: string;
  close: () => void;
  /** Begins at its title: the first control may be so far below that the title would be scrolled away. */
  isLong?: boolean;
  children: ComponentChildren;
}

export function Dialog({ title, close, isLong = false, children }: DialogProps) {
  const id = useId();
  const modal = useModal(close);
  const heading = useRef<HTMLHeadingElement>(null);
  // After the effect that opens it.
  useLayoutEffect(() => {
    if (isLong) heading.current?.focus();
  }, [isLong]);
  return (
    <dialog {...modal} aria-labelledby={id} onClickCapture={(event) => isSecond(event) && event.stopPropagation()}>
      <h2 id={id} ref={heading} tabIndex={isLong ? -1 : undefined}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}
