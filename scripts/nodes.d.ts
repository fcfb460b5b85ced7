export const NODE_PACKAGE: string;
export const NEWER: readonly number[];
export const canFetchNode: boolean;
export function fetchNode(major: number, cache: string, platform?: NodeJS.Platform): Promise<string>;
export function withCertificates(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv;
