export type CertifyErrorCode = 'usage' | 'unreachable' | 'refused' | 'command';

/**
 * An examination that cannot be made: `usage` for a wrong option, `unreachable` when nothing listens at the URL or the
 * server does not answer, `refused` when the server refuses, `command` when `observe` cannot be run, or `checkout`
 * fails or opens no session.
 */
export class CertifyError extends Error {
  override readonly name = 'CertifyError';
  readonly code: CertifyErrorCode;

  // Not ErrorOptions, which a project that compiles for ES2021 does not have.
  constructor(code: CertifyErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
