/** The last id that a fault had, because a removed fault is still named by what it struck. */
export const faultIds = /* sql */ `
ALTER TABLE workspace ADD COLUMN last_fault_id INTEGER NOT NULL DEFAULT 0;
UPDATE workspace SET last_fault_id = (SELECT coalesce(max(id), 0) FROM faults);
`;
