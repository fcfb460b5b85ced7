import { isLoopbackHost } from '../../domain/host.ts';

/** Whether the URL names this machine itself, so that nothing leaves it. */
export const isLoopback = (url: string): boolean => isLoopbackHost(new URL(url).hostname);
