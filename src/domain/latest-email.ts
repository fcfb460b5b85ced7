interface Latest {
  readonly to: string;
  readonly reference: string | null;
  readonly subject: string;
}

/** What a wait that found no email says of the latest one. */
export function latestEmailNote(email: Latest | undefined): string {
  if (!email) return 'There is no email yet.';
  const about = email.reference === null ? '' : ` about ${email.reference}`;
  return `The latest is to ${email.to}${about}: "${email.subject}".`;
}
