import type { Simulator } from '../../src/index.ts';

export interface StreamedEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** The server-sent events of an account. */
export async function eventStream(sim: Pick<Simulator, 'url'>, headers: Record<string, string>) {
  const ended = new AbortController();
  const response = await fetch(`${sim.url}/_sim/events/stream`, { headers, signal: ended.signal });
  if (!response.body) throw new Error(`No stream: ${response.status}`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const waiting: StreamedEvent[] = [];
  let text = '';

  /** False when the server has ended the stream. */
  async function read(): Promise<boolean> {
    const { done, value } = await reader.read();
    if (done) return false;
    text += value;
    const blocks = text.split('\n\n');
    text = blocks.pop() as string;
    for (const block of blocks) {
      const fields = Object.fromEntries(
        block
          .split('\n')
          .filter((line) => !line.startsWith(':'))
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      if (fields.data !== undefined) waiting.push(fields as unknown as StreamedEvent);
    }
    return true;
  }

  return {
    /** The next `count` events. */
    async take(count: number): Promise<StreamedEvent[]> {
      while (waiting.length < count) if (!(await read())) throw new Error('The stream ended.');
      return waiting.splice(0, count);
    },
    /** All events until the server ends the stream. */
    async rest(): Promise<StreamedEvent[]> {
      while (await read());
      return waiting.splice(0);
    },
    async [Symbol.asyncDispose]() {
      ended.abort();
      await reader.cancel().catch(() => undefined);
    },
  };
}
