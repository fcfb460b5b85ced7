export type CertifyErrorCode = 'usage' | 'unreachable' | 'refused' | 'command';

/**
 * An examination that cannot be made: `usage` for a wrong option, `unreachable` when nothing listens at the URL or the
 * server does not answer, `refused` when the server refuses, `command` when `observe` or `checkout` cannot be run.
 */
export class CertifyError extends Error {
  override readonly name = 'CertifyError';
  readonly code: CertifyErrorCode;

  constructor(code: CertifyErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
