import { SERVER_DEFAULTS, type ServerSettings } from '../../domain/assumptions.ts';

interface Wanted {
  /** Requests per minute, for both limits; `off` disables them. */
  readonly rateLimit?: number | 'off';
  readonly requestTimeoutSeconds?: number;
}

/** The documented settings of the server, with the values that the start replaced. */
export function serverSettings({ rateLimit, requestTimeoutSeconds }: Wanted): ServerSettings {
  const limit = rateLimit === 'off' ? 0 : rateLimit;
  return {
    ...SERVER_DEFAULTS,
    ...(limit === undefined ? {} : { rate_limit_source: limit, rate_limit_key: limit }),
    ...(requestTimeoutSeconds === undefined ? {} : { request_timeout_seconds: requestTimeoutSeconds }),
  };
}
