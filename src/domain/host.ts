/** What `--public-url` takes: http or https, a host and perhaps a port, nothing else. */
export const ORIGIN_FORM = /^https?:\/\/(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d+)?\/?$/i;

/** A name without scheme or port: what `--allow-host` takes, and what a refusal may repeat. */
export const HOST_NAME = /^[a-z\d_](?:[a-z\d_.-]{0,251}[a-z\d_])?$/i;
