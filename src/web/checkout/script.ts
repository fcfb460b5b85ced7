import { monthFirst, writtenErrors } from '../../domain/card.ts';

/*
 * The pages also work without this script. It groups the digits of a card number as they are typed, reports mistakes
 * before the form is sent, prevents a form from being sent twice, and keeps the time up to date.
 */

const inputOf = (id: string) => document.getElementById(id) as HTMLInputElement;

/** Opens the checkout's own address, because a reload of this page might send a form again. */
const checkout = location.pathname.split('/', 3).join('/');
const reopen = () => location.replace(checkout + location.search);

// A page restored from the browser's cache may be out of date.
addEventListener('pageshow', (event) => {
  if (event.persisted) reopen();
});

/** Nobody clicks twice that slowly. Firefox and Safari do not tell the page that the customer stopped waiting. */
const AGAIN_MS = 10_000;

/** Whether a form was sent. What a poll finds would end the wait for the store. */
let leaving = false;
/** Set as long as another click would send the form twice. */
let again: ReturnType<typeof setTimeout> | undefined;
// On the document, because a form may be replaced while the page is open.
document.addEventListener('submit', (event) => {
  const form = event.target as HTMLFormElement;
  if (again || (form.id === 'payment-form' && !cardLooksRight())) return event.preventDefault();
  leaving = true;
  again = setTimeout(enable, AGAIN_MS);
  for (const button of form.querySelectorAll('button')) button.setAttribute('aria-disabled', 'true');
  if (form.id !== 'email-form') return;
  event.preventDefault();
  void saveEmail(form);
});

// The customer stopped waiting, here or at the store: the page stays, and what it says may be out of date.
globalThis.navigation?.addEventListener('navigate', ({ formData, signal }) => {
  if (formData) signal.addEventListener('abort', stay);
});

addEventListener('keydown', ({ key }) => {
  if (leaving && key === 'Escape') stay();
});

function enable() {
  clearTimeout(again);
  again = undefined;
  for (const button of document.querySelectorAll('button')) button.removeAttribute('aria-disabled');
}

function stay() {
  leaving = false;
  enable();
  // Stopping ends the requests of this moment, too.
  setTimeout(look);
}

if (inputOf('card_number')) {
  const number = inputOf('card_number');
  const expiry = inputOf('card_expiry');
  number.addEventListener('input', () =>
    regroup(number, (digits) => digits.slice(0, 19).replace(/(.{4})(?=.)/g, '$1 ')),
  );
  expiry.addEventListener('input', (event) => {
    if (event instanceof InputEvent && event.inputType.startsWith('delete')) return;
    expiry.value = monthFirst(expiry.value);
    if (/[/]\s*\d{3,}/.test(expiry.value)) return;
    const isOneDigit = /^\s*[1-9]\s*[/\-. ]/.test(expiry.value);
    regroup(expiry, (digits) => {
      const typed = isOneDigit || /^[2-9]/.test(digits) ? `0${digits}` : digits;
      return typed.length < 2 ? typed : `${typed.slice(0, 2)} / ${typed.slice(2, 6)}`;
    });
  });
}

/** “Fill in test data” opens the page again and keeps “Decline this payment” checked, once. */
const decline = document.querySelector<HTMLInputElement>('[data-testid="decline-payment"]');
const fill = document.querySelector<HTMLAnchorElement>('[data-testid="fill-test-data"]');
if (decline && fill) {
  const unticked = fill.search;
  const ticked = `${unticked}&decline=1`;
  if (location.search === ticked) {
    decline.checked = true;
    history.replaceState(null, '', unticked);
  }
  fill.addEventListener('click', () => {
    fill.search = decline.checked ? ticked : unticked;
  });
}

/** Formats the value and keeps the caret after the same digit. */
function regroup(input: HTMLInputElement, shape: (digits: string) => string) {
  const start = input.selectionStart ?? input.value.length;
  const atEnd = start === input.value.length;
  const before = input.value.slice(0, start).replace(/\D/g, '').length;
  const value = shape(input.value.replace(/\D/g, ''));
  if (value === input.value) return;
  input.value = value;
  let caret = 0;
  for (let seen = 0; caret < value.length && seen < before; caret += 1) {
    if (/\d/.test(value.charAt(caret))) seen += 1;
  }
  if (atEnd) caret = value.length;
  input.setSelectionRange(caret, caret);
}

/** Saves the customer from typing the card again after a mistake. The server has the last word. */
function cardLooksRight(): boolean {
  const inputs = {
    number: inputOf('card_number'),
    expiry: inputOf('card_expiry'),
    code: inputOf('card_code'),
  };
  const errors = writtenErrors({
    number: inputs.number.value,
    expiry: inputs.expiry.value,
    code: inputs.code.value,
  });
  for (const field of ['number', 'expiry', 'code'] as const) {
    const [input, error] = [inputs[field], errors[field]];
    (document.getElementById(`${input.id}-error`) as HTMLElement).textContent = error ?? '';
    if (error) input.setAttribute('aria-invalid', 'true');
    else input.removeAttribute('aria-invalid');
  }
  const first = (['number', 'expiry', 'code'] as const).find((field) => errors[field]);
  if (!first) return true;
  // A message about the last attempt is out of date. One about the email belongs to the other form.
  for (const notice of document.querySelectorAll<HTMLElement>('main .notice')) {
    notice.hidden = !notice.querySelector('[href="#customer_email"]');
  }
  inputs[first].focus();
  return false;
}

/** Saves a corrected email in place, so that the typed card details stay, and “Decline” stays checked. */
async function saveEmail(form: HTMLFormElement) {
  const body = new URLSearchParams([...new FormData(form)] as [string, string][]);
  const text = await fetch(form.action, { method: 'POST', body }).then(
    (answer) => answer.text(),
    () => null,
  );
  if (text === null) return form.submit();
  leaving = false;
  enable();
  const now = parsed(text);
  if (nameOf(now) !== nameOf(document)) return reopen();
  for (const part of ['customer', 'edit-email']) {
    partOf(document, part)?.replaceWith(partOf(now, part) as HTMLElement);
  }
  for (const notice of document.querySelectorAll('main .notice')) notice.remove();
  const summary = partOf(now, 'error-summary');
  // A decline before it is no longer shown.
  document.title = summary ? now.title : now.title.replace(/^Error: /, '');
  if (summary) document.querySelector('main .card')?.prepend(summary);
  (summary ?? document.querySelector<HTMLElement>('[data-testid="edit-email"] summary'))?.focus();
}

const partOf = (page: Document, name: string) => page.querySelector<HTMLElement>(`[data-testid="${name}"]`);
const parsed = (text: string) => new DOMParser().parseFromString(text, 'text/html');

/** The page polls, because the clock may be moved and the checkout may continue in another window. */
const LOOK_MS = 5000;
let looking: ReturnType<typeof setTimeout> | undefined;

async function look() {
  clearTimeout(looking);
  looking = setTimeout(look, LOOK_MS);
  if (document.hidden || leaving) return;
  const answer = await fetch(`${checkout}/now${location.search}`).catch(() => null);
  if (!answer || answer.status >= 500) return;
  const now = parsed(await answer.text());
  if (leaving) return;
  if (nameOf(now) !== nameOf(document)) return reopen();
  for (const old of document.querySelectorAll<HTMLElement>('[data-live]')) {
    const fresh = now.querySelector(`[data-live="${old.dataset.live}"]`);
    // What stays the same keeps the focus, and so does the button of a payment that is still open.
    if (!fresh || fresh.outerHTML === old.outerHTML) continue;
    const at = old.contains(document.activeElement) && document.activeElement;
    old.replaceWith(fresh);
    if (at instanceof HTMLButtonElement) fresh.querySelector<HTMLElement>(`[value="${at.value}"]`)?.focus();
  }
  countDown();
}

const nameOf = (page: Document) => page.querySelector('main')?.dataset.testid;

if (document.querySelector('[data-live]')) {
  looking = setTimeout(look, LOOK_MS);
  document.addEventListener('visibilitychange', look);
  countDown();
}

/** Between two polls, a running clock moves with the browser's clock and a frozen clock does not move. */
function countDown() {
  const left = document.querySelector<HTMLElement>('[data-left-ms]');
  if (!left) return;
  const started = performance.now();
  const tick = () => {
    if (!left.isConnected) return;
    const passed = left.dataset.clock === 'running' ? performance.now() - started : 0;
    const ms = Number(left.dataset.leftMs) - passed;
    if (ms <= 0) {
      void look();
      return;
    }
    const seconds = Math.floor(ms / 1000);
    const two = (n: number) => String(n).padStart(2, '0');
    const hours = Math.floor(seconds / 3600);
    left.textContent = ` (${hours ? `${two(hours)}:` : ''}${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)} left)`;
    if (left.dataset.clock === 'running') setTimeout(tick, ms % 1000 || 1000);
  };
  tick();
}
