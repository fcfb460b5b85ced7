import { format } from 'node:util';
import { isDamage, isProgramGone } from './domain/file-error.ts';
import { Refusal } from './domain/refusal.ts';

/** Errors of the SMTP server. */
const OF_MAIL = new Set(['SmtpAway', 'EmailRefused']);

const DAMAGED =
  'layaway.db in the state directory is damaged, so some requests fail. Stop the server, move layaway.db away and start it again. Then you can restore a snapshot.';

const PROGRAM_GONE =
  'Files of layaway are missing, so some requests fail: it was updated or removed while this server was running. Stop the server and start it again.';

/**
 * Shows internal faults to whoever runs the server. For an SMTP server that is away or a full disk, a stack would say
 * nothing. A damaged database or a missing program can fail every request, so each is shown once.
 */
export function createFaultPrinter() {
  const shown = new Set<string>();
  const once = (sentence: string) => {
    if (!shown.has(sentence)) console.error(sentence);
    shown.add(sentence);
  };
  return (error: unknown) => {
    if (isDamage(error)) return once(DAMAGED);
    if (isProgramGone(error)) return once(PROGRAM_GONE);
    const isOfTheMachine = error instanceof Refusal || (error instanceof Error && OF_MAIL.has(error.name));
    console.error(harmless(isOfTheMachine ? error.message : format(error)));
  };
}

/**
 * Shows what would control the terminal: an SMTP server or whoever made the state directory may have written it. The
 * command line has a function of its own for this, in a file that every command loads.
 */
const harmless = (text: string) =>
  text.replace(
    /(?!\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu,
    (character) => `\\u{${character.charCodeAt(0).toString(16)}}`,
  );
