/** The message of a refusal and those of each field (§2.9), unless it is the only one. */
export function told({ status, body }: { readonly status: number; readonly body: unknown }): string {
  const { message, errors, reason } = (body ?? {}) as { message?: unknown; errors?: object; reason?: unknown };
  const fields = Object.entries(errors ?? {})
    .map(([field, messages]) => [field, [messages].flat().join(' ')] as const)
    .filter(([, text]) => text !== message)
    .map(([field, text]) => `${field}: ${text}`);
  const parts = [`${status} ${typeof message === 'string' ? message : 'refused'}`, ...fields];
  // One line each, even if a server puts line breaks into them.
  return [...parts, ...(typeof reason === 'string' ? [`reason: ${reason}`] : [])]
    .map((part) => part.replace(/\s+/g, ' '))
    .join('\n');
}
