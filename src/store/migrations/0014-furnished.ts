/** Whether a workspace got everything that it starts with: the start or the reset that made it may have been cut off. */
export const furnished = /* sql */ `
ALTER TABLE workspace ADD COLUMN is_furnished INTEGER NOT NULL DEFAULT 1 CHECK (is_furnished IN (0, 1));
`;
