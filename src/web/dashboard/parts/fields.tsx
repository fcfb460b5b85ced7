import { type ComponentChildren, cloneElement, type InputHTMLAttributes, type VNode } from 'preact';
import { useId } from 'preact/hooks';
import { money } from '../words.ts';
import { Coded } from './coded.tsx';
import { useFieldError } from './levers/errors.tsx';

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly name?: string | undefined;
  readonly cents?: boolean | undefined;
}

/**
 * A labeled control. The simulator's message about the field `name` appears below it until the control is used again.
 * With `cents`, numbers in the message are shown as amounts.
 */
export function Field({
  label,
  hint,
  name,
  cents = false,
  children,
}: FieldProps & { children: (id: string, described: string | undefined) => VNode<Controlled> }) {
  const id = useId();
  const { error, clear } = useFieldError(name, id, cents);
  const hintId = hint ? `${id}-hint` : undefined;
  const errorId = error === null ? undefined : `${id}-error`;
  const described = [errorId, hintId].filter((each) => each !== undefined).join(' ') || undefined;
  const control = children(id, described);
  return (
    <div class="field" onInput={clear}>
      <label for={id}>{label}</label>
      {error === null ? control : cloneElement(control, { 'aria-invalid': 'true', 'aria-describedby': described })}
      {error !== null && (
        <p class="field-error" id={errorId} role="alert">
          <Coded text={error} />
        </p>
      )}
      {hint && (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** The attributes that a control gets from its field. */
interface Controlled {
  'aria-invalid'?: 'true' | undefined;
  'aria-describedby'?: string | undefined;
}

type TextProps = FieldProps & { readonly value: string; set(text: string): void };

/** A field for one line of text. */
export function TextField({ label, hint, name, cents, value, set, ...input }: TextProps & InputHTMLAttributes) {
  return (
    <Field label={label} hint={hint} name={name} cents={cents}>
      {(id, described) => (
        <input
          {...input}
          id={id}
          aria-describedby={described}
          value={value}
          onInput={(event) => set(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** A field for a number, which stays text for the simulator to check. */
export const DigitsField = ({ set, ...props }: TextProps) => (
  <TextField {...props} inputMode="numeric" set={(text) => set(text.trim())} />
);

/** The total of an order, with the amount that its cents are. */
export const TotalField = ({ value, set }: Pick<TextProps, 'value' | 'set'>) => (
  <DigitsField
    label="Total, in cents"
    name="total_amount"
    cents
    value={value}
    set={set}
    hint={/^\d+$/.test(value) ? money(Number(value)) : 'A whole number, such as 20000.'}
  />
);

/** The reference of an order. */
export const OrderField = ({ value, set }: Pick<TextProps, 'value' | 'set'>) => (
  <TextField label="Order" name="order_reference" maxLength={100} value={value} set={set} />
);
