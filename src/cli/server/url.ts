/** Whether the URL names this machine itself, so that nothing leaves it. */
export const isLoopback = (url: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);
