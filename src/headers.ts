import { validateHeaderName, validateHeaderValue } from 'node:http';

/** Why a header cannot be sent: its name or its value; null when it can. */
export function wrongPart(name: string, value: string): 'name' | 'value' | null {
  if (throws(() => validateHeaderName(name))) return 'name';
  return throws(() => validateHeaderValue(name, value)) ? 'value' : null;
}

function throws(check: () => void): boolean {
  try {
    check();
    return false;
  } catch {
    return true;
  }
}
