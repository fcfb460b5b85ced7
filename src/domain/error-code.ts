/** The code that Node, SQLite or Fastify gave an error, such as ENOENT; empty if there is none. */
export function codeOf(error: unknown): string {
  const { code }: { readonly code?: unknown } = Object(error);
  return typeof code === 'string' ? code : '';
}
