/**
 * Answers that are ready in one turn of the event loop leave together, at its end: whoever reads them, often one process
 * with many connections, is woken once and not once for each.
 */
export function createTogether(endOfTurn: (work: () => void) => void) {
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
