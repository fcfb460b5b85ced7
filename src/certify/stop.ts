/** An `AbortSignal`: that global type is not everywhere. */
export interface Stop {
  readonly aborted: boolean;
  throwIfAborted(): void;
}
