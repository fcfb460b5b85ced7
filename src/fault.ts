import { isDamage } from './domain/file-error.ts';
import { Refusal } from './domain/refusal.ts';

/** Errors of the SMTP server. */
const OF_MAIL = new Set(['SmtpAway', 'EmailRefused']);

const DAMAGED =
  'layaway.db in the state directory is damaged, so some requests fail. Stop the server, move layaway.db away and start it again. Then you can restore a snapshot.';

/**
 * Shows internal faults to whoever runs the server. For an SMTP server that is away or a full disk, a stack would say
 * nothing. A damaged database can fail every request, so it is shown once.
 */
export function createFaultPrinter() {
  let isDamageShown = false;
  return (error: unknown) => {
    if (isDamage(error)) {
      if (!isDamageShown) console.error(DAMAGED);
      isDamageShown = true;
      return;
    }
    const isOfTheMachine = error instanceof Refusal || (error instanceof Error && OF_MAIL.has(error.name));
    console.error(isOfTheMachine ? error.message : error);
  };
}
