import { Refusal } from './domain/refusal.ts';

/** Errors of the SMTP server. */
const OF_MAIL = new Set(['SmtpAway', 'EmailRefused']);

/**
 * Shows an internal fault to whoever runs the server; for an SMTP server that is away or a full disk, a stack would say
 * nothing.
 */
export function printFault(error: unknown) {
  const isOfTheMachine = error instanceof Refusal || (error instanceof Error && OF_MAIL.has(error.name));
  console.error(isOfTheMachine ? error.message : error);
}
