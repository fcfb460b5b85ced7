/** Reads a state machine from a table: triggers in the first line, then each state and what each trigger makes of it. */
export function gridOf(text: string) {
  const [triggers = [], ...rows] = text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const cells = rows.flatMap(([from, ...targets]) =>
    targets.map((to, column) => [from, triggers[column], to] as const),
  );
  return { triggers, states: rows.map(([from]) => from), cells };
}
