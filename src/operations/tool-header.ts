/** Marks a request that does not come from a store, but from a command or a test's own lever (interface §9). */
export const TOOL_HEADER = 'x-layaway-tool';
export const OF_TOOL = { [TOOL_HEADER]: '1' } as const;
