import { networkInterfaces } from 'node:os';

/** Whether this machine has ::1, which some containers lack. */
export const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
