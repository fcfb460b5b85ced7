import type { Start } from '../../workspace/content.ts';
import { receiverAt } from './endpoint.ts';
import { loadFixture } from './fixture.ts';

interface Wanted {
  readonly allowHttpLocalhost?: boolean;
  readonly fixture?: string | object;
  readonly forwardTo?: readonly string[];
  readonly insecure?: boolean;
}

/**
 * Reads what a new workspace begins with.
 * @throws BadInput for a fixture, CannotStart for a URL to forward to, that cannot be used
 */
export const readStart = async ({
  allowHttpLocalhost,
  fixture,
  forwardTo = [],
  insecure = false,
}: Wanted): Promise<Pick<Start, 'initialSettings' | 'fixture' | 'forwardTo'>> => ({
  initialSettings: allowHttpLocalhost ? { allow_http_localhost: true } : {},
  fixture: await loadFixture(fixture),
  forwardTo: forwardTo.map((url) => ({ ...receiverAt(url), insecure })),
});
