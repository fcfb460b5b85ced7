import { EMAIL_MAX } from '../../domain/limits.ts';
import { type Html, html } from './html.ts';

export interface Field {
  /** The name in the form data, and the id. */
  readonly name: string;
  readonly label: string;
  readonly autocomplete: string;
  readonly type?: 'text' | 'email';
  readonly inputmode?: 'numeric' | 'email' | 'text';
  readonly hint?: string;
  readonly placeholder?: string;
  readonly maxLength?: number;
  readonly value?: string;
  readonly error?: string | undefined;
  readonly className?: string;
}

/** The customer's email address, on both steps. */
export const emailField = (of: Pick<Field, 'value' | 'error'>): Field => ({
  name: 'customer_email',
  label: 'Email',
  type: 'email',
  inputmode: 'email',
  autocomplete: 'email',
  maxLength: EMAIL_MAX,
  hint: 'Receipts and payment reminders go here.',
  ...of,
});

/** A labeled input with its hint and its error. */
export function field(f: Field): Html {
  const described = [f.hint && `${f.name}-hint`, `${f.name}-error`].filter(Boolean).join(' ');
  return html`<div class="field ${f.className ?? null}">
<label for="${f.name}">${f.label}</label>
${f.hint !== undefined && html`<p class="hint" id="${f.name}-hint">${f.hint}</p>`}
<input id="${f.name}" name="${f.name}" type="${f.type ?? 'text'}" inputmode="${f.inputmode ?? 'text'}" autocomplete="${f.autocomplete}" required dir="auto" spellcheck="false" aria-describedby="${described}"${
    f.maxLength !== undefined && html` maxlength="${f.maxLength}"`
  }${f.placeholder !== undefined && html` placeholder="${f.placeholder}"`}${
    f.value !== undefined && html` value="${f.value}"`
  }${f.error !== undefined && html` aria-invalid="true"`} data-testid="${f.name.replaceAll('_', '-')}">
<p class="error" id="${f.name}-error" data-testid="${f.name.replaceAll('_', '-')}-error">${f.error ?? null}</p>
</div>`;
}

/** All errors, above the form. It takes the focus so that keyboard and screen reader users start there. */
export function errorSummary(fields: readonly Field[]): Html | null {
  const wrong = fields.filter(({ error }) => error !== undefined);
  if (wrong.length === 0) return null;
  return html`<div class="notice notice-bad" role="alert" tabindex="-1" autofocus data-testid="error-summary">
<h2>Please check ${wrong.length === 1 ? 'one field' : `${wrong.length} fields`}</h2>
<ul>${wrong.map(({ name, error }) => html`<li><a href="#${name}">${error ?? null}</a></li>`)}</ul>
</div>`;
}
