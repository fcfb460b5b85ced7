/** The `--wait` of commands that make events. */
export const WAIT = ['--wait', 'wait until the webhooks that are due have been attempted'] as const;

export const waitQuery = ({ wait }: { readonly wait?: true }) => ({ wait: wait && ('true' as const) });
