import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { failure } from '../exit.ts';

/** An event with the largest metadata is far smaller. */
const EVENT_CHARACTERS_MAX = 16 * 2 ** 20;

/** One server-sent event: its id and its data. */
export type Message = Pick<EventSourceMessage, 'id' | 'data'>;

/** Reads server-sent events from chunks of text, wherever they are cut. */
export async function* messages(chunks: AsyncIterable<string>): AsyncGenerator<Message> {
  const read: Message[] = [];
  const parser = createParser({
    maxBufferSize: EVENT_CHARACTERS_MAX,
    onEvent: ({ id, data }) => read.push({ id, data }),
    onError(error) {
      if (error.type !== 'max-buffer-size-exceeded') return;
      throw failure(
        'The server sent an event of more than 16 MiB. Check whether another program uses that port, or use --base-url for another address.',
        error,
      );
    },
  });
  for await (const chunk of chunks) {
    parser.feed(chunk);
    yield* read.splice(0);
  }
}
