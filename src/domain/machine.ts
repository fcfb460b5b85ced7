/** A state machine as data: for each state, the allowed triggers and the states that they lead to. */
export type Machine<State extends string, Trigger extends string> = {
  readonly [From in State]: { readonly [T in Trigger]?: State };
};

/** The state that `trigger` leads to; null when the current state does not allow it. */
export function move<State extends string, Trigger extends string>(
  machine: Machine<State, Trigger>,
  from: State,
  trigger: Trigger,
): State | null {
  return machine[from][trigger] ?? null;
}
