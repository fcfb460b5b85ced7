/** §2.1, §5: what a key may do, in the order of the service description. */
export const SCOPES = ['checkout:read', 'checkout:write', 'contracts:read', 'contracts:write'] as const;
export type Scope = (typeof SCOPES)[number];
