import { exchange } from './transport.ts';

const TIMEOUT_MS = 3000;

/** Whether a simulator answers there, and not the service itself or another program. */
export async function isSimulator(baseUrl: string): Promise<boolean> {
  const headers = { accept: 'application/json' };
  try {
    const { getHealth } = await import('../../operations/workspace.ts');
    const url = `${baseUrl}${getHealth.path}`;
    const { status, text } = await exchange({ method: 'GET', url, headers, timeoutMs: TIMEOUT_MS });
    return status === 200 && (JSON.parse(text) as { status?: unknown }).status === 'ok';
  } catch {
    return false;
  }
}
