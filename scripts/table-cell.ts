/** Text as it may stand in a cell of a Markdown table. */
export const cell = (text: string) => text.replaceAll('|', '\\|');
