import { type Address, type AddressFlags, addressLine, resolveAddress } from './address.ts';
import { nearestServer } from './nearest-server.ts';
import { missingToken } from './refusal.ts';

/** The address of a command's server and account, found when it is first asked for. */
export function knownAddress(
  flags: AddressFlags,
  debug: (text: string) => void,
  note: (text: string) => void,
  env: NodeJS.ProcessEnv,
) {
  let resolving: Promise<Address> | undefined;

  const address = () => {
    resolving ??= resolveAddress(flags, env).then((found) => {
      debug(`Using ${addressLine(found)}.`);
      if (found.notice !== null) note(found.notice);
      return found;
    });
    return resolving;
  };

  return {
    address,

    /**
     * Finds the server of this folder again, which may have been started on another port. Any other is kept. True if the
     * one found has another state: with a seed, its ids may be those of the state before.
     */
    async findAgain(): Promise<boolean> {
      const before = await address();
      if (nearestServer()?.from !== before.from.baseUrl) return false;
      resolving = resolveAddress(flags, env);
      return (await resolving).controlToken !== before.controlToken;
    },

    /** @throws CommandError when none is known, or the server has no control plane */
    async controlToken(): Promise<string> {
      const resolved = await address();
      if (resolved.controlToken === null) throw await missingToken(resolved);
      return resolved.controlToken;
    },
  };
}
