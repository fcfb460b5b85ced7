/** Parses a `--public-url`: http or https, a host, an optional port and nothing else. */
export const ORIGIN_FORM = /^https?:\/\/(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d+)?\/?$/i;

/** A name without scheme or port, with or without the dot of the root. `--allow-host` takes it, and a refusal may repeat it. */
export const HOST_NAME = /^[a-z\d_](?:[a-z\d_.-]{0,251}[a-z\d_])?\.?$/i;

/** `localhost` and its subdomains, which are this machine (RFC 6761). */
export const isLocalhost = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');

/** Whether the host of a URL is this machine itself, so that nothing leaves it. */
export const isLoopbackHost = (hostname: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
