/** One server-sent event: its id and its data. */
export interface Message {
  readonly id: string;
  readonly data: string;
}

/** Reads server-sent events from chunks of text, whatever way they were cut; comments and other fields are passed over. */
export async function* messages(chunks: AsyncIterable<string>): AsyncGenerator<Message> {
  let rest = '';
  for await (const chunk of chunks) {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const message = parse(block);
      if (message) yield message;
    }
  }
}

function parse(block: string): Message | null {
  let id = '';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('id: ')) id = line.slice('id: '.length);
    if (line.startsWith('data: ')) data.push(line.slice('data: '.length));
  }
  return data.length === 0 ? null : { id, data: data.join('\n') };
}
