export function imageContext(root: string): string[];
