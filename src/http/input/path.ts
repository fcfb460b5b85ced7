/**
 * The path of a request's target as the router reads it: without host and query, and decoded except for characters that
 * would then be delimiters. A target that cannot be decoded stays as it is.
 */
export function pathOf(url: string): string {
  if (url.startsWith('/') && !/[%?#]/.test(url)) return url;
  const path = url.replace(/^https?:\/\/.*?\//, '/').split(/[?#]/, 1)[0] as string;
  if (!path.includes('%')) return path;
  try {
    return decodeURI(path.replaceAll('%25', '%2525'));
  } catch {
    return path;
  }
}
