/** A state machine as data: for each state, the triggers it answers to and where they lead. */
export type Machine<State extends string, Trigger extends string> = {
  readonly [From in State]: { readonly [T in Trigger]?: State };
};

/** The state that `trigger` leads to, or null when the state does not answer to it. */
export function move<State extends string, Trigger extends string>(
  machine: Machine<State, Trigger>,
  from: State,
  trigger: Trigger,
): State | null {
  return machine[from][trigger] ?? null;
}
