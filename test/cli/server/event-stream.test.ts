import fc from 'fast-check';
import { expect, test } from 'vitest';
import { messages } from '../../../src/cli/server/event-stream.ts';

const STREAM =
  ': listening\n\nid: evt_1\nevent: a\ndata: {"n":1}\n\n: still here\n\nid: evt_2\nevent: b\ndata: {"n":2}\n\n';

test('interface §3: the stream is read alike however it is cut', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(STREAM.length), { maxLength: 8 }), async (cuts) => {
      const marks = [0, ...cuts.sort((a, b) => a - b), STREAM.length];
      async function* chunks() {
        for (let n = 1; n < marks.length; n += 1) yield STREAM.slice(marks[n - 1], marks[n]);
      }
      const read = [];
      for await (const message of messages(chunks())) read.push(message);
      expect(read).toEqual([
        { id: 'evt_1', data: '{"n":1}' },
        { id: 'evt_2', data: '{"n":2}' },
      ]);
    }),
  );
});

test.each([
  ['line', `data: ${'x'.repeat(2 ** 20)}`, ''],
  ['event', '', `data: ${'x'.repeat(2 ** 20)}\n`],
])('an endless %s is given up before it fills the memory', async (_what, first, next) => {
  let fed = 0;
  async function* chunks() {
    yield first;
    for (; fed < 100; fed += 1) yield next === '' ? 'x'.repeat(2 ** 20) : next;
  }
  const reading = messages(chunks()).next();
  await expect(reading).rejects.toThrow('The server sent an event of more than 16 MiB. Check whether');
  expect(fed).toBeLessThan(20);
});

test('interface §3: a proxy may end lines with CRLF, leave out the space after a colon, or cut data into lines', async () => {
  async function* chunks() {
    yield 'id:evt_1\r\ndata:{"n":1}\r';
    yield '\n\r\nid: evt_2\ndata: {\ndata: "n":2}\n\n';
  }
  const read = [];
  for await (const message of messages(chunks())) read.push(message);
  expect(read).toEqual([
    { id: 'evt_1', data: '{"n":1}' },
    { id: 'evt_2', data: '{\n"n":2}' },
  ]);
});
