/**
 * What the browser adds to pages that are complete without it: the card number in groups while typing, what is
 * mistyped said before anything is sent, one submission however often it is clicked, and time as it passes.
 */
export const checkoutScript = /* js */ String.raw`(() => {
  const byId = (id) => document.getElementById(id);

  // The checkout's own address: this page may be the answer to a form, and a reload would send the form again.
  const checkout = location.pathname.split('/', 3).join('/');
  const reopen = () => location.replace(checkout + location.search);

  // A page brought back from the browser's memory may be past: ask the server again.
  addEventListener('pageshow', (event) => {
    if (event.persisted) reopen();
  });

  let leaving = false;
  for (const form of document.forms) {
    form.addEventListener('submit', (event) => {
      if (leaving || (form.id === 'payment-form' && !cardLooksRight())) return event.preventDefault();
      leaving = true;
      for (const button of form.querySelectorAll('button')) button.setAttribute('aria-disabled', 'true');
    });
  }

  const number = byId('card_number');
  const expiry = byId('card_expiry');
  const code = byId('card_code');
  if (number) {
    number.addEventListener('input', () => regroup(number, (digits) => digits.slice(0, 19).replace(/(.{4})(?=.)/g, '$1 ')));
    expiry.addEventListener('input', (event) => {
      if (event.inputType && event.inputType.startsWith('delete')) return;
      if (/[/]\s*\d{3,}/.test(expiry.value)) return;
      regroup(expiry, (digits) => {
        const typed = /^[2-9]/.test(digits) ? '0' + digits : digits;
        return typed.length < 2 ? typed : typed.slice(0, 2) + ' / ' + typed.slice(2, 6);
      });
    });
  }

  // Puts the value into its form and the caret back behind the digit it stood behind.
  function regroup(input, shape) {
    const atEnd = input.selectionStart === input.value.length;
    const before = input.value.slice(0, input.selectionStart).replace(/\D/g, '').length;
    const value = shape(input.value.replace(/\D/g, ''));
    if (value === input.value) return;
    input.value = value;
    let caret = 0;
    for (let seen = 0; caret < value.length && seen < before; caret += 1) if (/\d/.test(value[caret])) seen += 1;
    if (atEnd) caret = value.length;
    input.setSelectionRange(caret, caret);
  }

  // The server decides; this only saves typing the card again after a slip.
  function cardLooksRight() {
    const digits = number.value.replace(/[\s-]/g, '');
    const wrong = [
      [number, passesLuhn(digits) ? '' : digits ? 'Check the card number. A digit seems to be wrong.' : 'Enter the card number.'],
      [expiry, /\d/.test(expiry.value) ? '' : 'Enter the expiry date.'],
      [code, /^\s*\d{3,4}\s*$/.test(code.value) ? '' : code.value ? 'The security code has 3 or 4 digits.' : 'Enter the security code.'],
    ].map(([input, message]) => {
      byId(input.id + '-error').textContent = message;
      if (message) input.setAttribute('aria-invalid', 'true');
      else input.removeAttribute('aria-invalid');
      return message && input;
    });
    const first = wrong.find(Boolean);
    if (first) {
      // The decline was of the card before; now something else is to be told.
      const declined = document.querySelector('[data-testid="payment-declined"]');
      if (declined) declined.hidden = true;
      first.focus();
    }
    return !first;
  }

  function passesLuhn(digits) {
    if (!/^[1-9]\d{11,18}$/.test(digits)) return false;
    return [...digits].reverse().reduce((sum, digit, place) => {
      const weighted = digit * (1 + (place % 2));
      return sum + (weighted > 9 ? weighted - 9 : weighted);
    }, 0) % 10 === 0;
  }

  // The account's clock may be moved, frozen or resumed, and the checkout be used in another window: look now and then.
  const LOOK_MS = 5000;
  let looking;
  async function look() {
    clearTimeout(looking);
    looking = setTimeout(look, LOOK_MS);
    if (document.hidden || leaving) return;
    const answer = await fetch(checkout + '/now' + location.search).catch(() => null);
    if (!answer || answer.status >= 500) return;
    const now = new DOMParser().parseFromString(await answer.text(), 'text/html');
    if (leaving) return;
    if (now.querySelector('main').dataset.testid !== document.querySelector('main').dataset.testid) return reopen();
    for (const old of document.querySelectorAll('[data-live]')) {
      const fresh = now.querySelector('[data-live="' + old.dataset.live + '"]');
      if (fresh) old.replaceWith(fresh);
    }
    countDown();
  }
  if (document.querySelector('[data-live]')) {
    looking = setTimeout(look, LOOK_MS);
    document.addEventListener('visibilitychange', look);
    countDown();
  }

  // Between two looks a running clock goes as fast as ours, and a frozen one stands still.
  function countDown() {
    const left = document.querySelector('[data-left-ms]');
    if (!left) return;
    const started = performance.now();
    const tick = () => {
      if (!left.isConnected) return;
      const passed = left.dataset.clock === 'running' ? performance.now() - started : 0;
      const ms = Number(left.dataset.leftMs) - passed;
      if (ms <= 0) return look();
      const seconds = Math.floor(ms / 1000);
      const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
      const [hours, minutes, rest] = parts.map((part) => String(part).padStart(2, '0'));
      left.textContent = ' (' + (parts[0] ? hours + ':' : '') + minutes + ':' + rest + ' left)';
      if (left.dataset.clock === 'running') setTimeout(tick, ms % 1000 || 1000);
    };
    tick();
  }
})();
`;
