import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** One server-sent event: its id and its data. */
export type Message = Pick<EventSourceMessage, 'id' | 'data'>;

/** Reads server-sent events from chunks of text, wherever they are cut. */
export async function* messages(chunks: AsyncIterable<string>): AsyncGenerator<Message> {
  const read: Message[] = [];
  const parser = createParser({ onEvent: ({ id, data }) => read.push({ id, data }) });
  for await (const chunk of chunks) {
    parser.feed(chunk);
    yield* read.splice(0);
  }
}
