/** Shows an internal fault to whoever runs the server; for an SMTP server that is away, a stack would say nothing. */
export function printFault(error: unknown) {
  console.error(error instanceof Error && error.name === 'SmtpAway' ? error.message : error);
}
