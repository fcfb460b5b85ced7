import { exchange } from './transport.ts';

/** Longer than a simulator on a busy machine is silent. */
const SILENT_MS = 10_000;

/**
 * Asks whether the server is well, which a simulator answers at once and others do not know.
 * @throws CommandError when no HTTP answer comes
 */
export async function askHealth(baseUrl: string, timeoutMs: number) {
  const { getHealth } = await import('../../operations/workspace.ts');
  const headers = { accept: 'application/json' };
  return exchange({ method: 'GET', url: `${baseUrl}${getHealth.path}`, headers, timeoutMs });
}

/** Whether a simulator answers there, and not the service itself or another program. A busy one may take longer. */
export async function isSimulator(baseUrl: string, timeoutMs = SILENT_MS): Promise<boolean> {
  try {
    const { status, text } = await askHealth(baseUrl, timeoutMs);
    return status === 200 && (JSON.parse(text) as { status?: unknown }).status === 'ok';
  } catch {
    return false;
  }
}
