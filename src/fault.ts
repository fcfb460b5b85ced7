import { Refusal } from './domain/refusal.ts';

/**
 * Shows an internal fault to whoever runs the server; for an SMTP server that is away or a full disk, a stack would say
 * nothing.
 */
export function printFault(error: unknown) {
  const isOfTheMachine = error instanceof Refusal || (error instanceof Error && error.name === 'SmtpAway');
  console.error(isOfTheMachine ? error.message : error);
}
