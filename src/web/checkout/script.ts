/**
 * What the browser adds to pages that are complete without it: the card number in groups while typing, what is
 * mistyped said before anything is sent, one submission however often it is clicked, and the time left.
 */
export const checkoutScript = /* js */ String.raw`(() => {
  const byId = (id) => document.getElementById(id);

  // A page brought back from the browser's memory may be past: ask the server again.
  addEventListener('pageshow', (event) => {
    if (event.persisted) location.reload();
  });

  for (const form of document.forms) {
    form.addEventListener('submit', (event) => {
      if (form.dataset.sent || (form.id === 'payment-form' && !cardLooksRight())) return event.preventDefault();
      form.dataset.sent = 'yes';
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
    if (first) first.focus();
    return !first;
  }

  function passesLuhn(digits) {
    if (!/^[1-9]\d{11,18}$/.test(digits)) return false;
    return [...digits].reverse().reduce((sum, digit, place) => {
      const weighted = digit * (1 + (place % 2));
      return sum + (weighted > 9 ? weighted - 9 : weighted);
    }, 0) % 10 === 0;
  }

  // The account's clock gave the time left; from here on it runs as fast as ours.
  const left = document.querySelector('[data-countdown-ms]');
  if (left) {
    const started = performance.now();
    const total = Number(left.dataset.countdownMs);
    const tick = () => {
      const ms = total - (performance.now() - started);
      if (ms <= 0) return location.reload();
      const seconds = Math.floor(ms / 1000);
      const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
      const [hours, minutes, rest] = parts.map((part) => String(part).padStart(2, '0'));
      left.textContent = ' (' + (parts[0] ? hours + ':' : '') + minutes + ':' + rest + ' left)';
      setTimeout(tick, ms % 1000 || 1000);
    };
    tick();
  }
})();
`;
