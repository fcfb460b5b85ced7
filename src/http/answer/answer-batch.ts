/**
 * Sends the answers that are ready in one turn of the event loop together at its end. The client, often one process
 * with many connections, then wakes up once and not once per answer.
 */
export function createAnswerBatch(endOfTurn: (work: () => void) => void) {
  let ready: (() => void)[] = [];

  function sendAll() {
    const leaving = ready;
    ready = [];
    for (const send of leaving) send();
  }

  return (send: () => void) => {
    if (ready.push(send) === 1) endOfTurn(sendAll);
  };
}
