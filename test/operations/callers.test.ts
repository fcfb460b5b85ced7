import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { BROWSE_OPERATIONS } from '../../src/operations/browse.ts';
import { CONTROL_OPERATIONS } from '../../src/operations/index.ts';

const FOR_PAGES = 'The dashboard reads it; other operations tell programs the same.';
/** The operations that no method of the library calls, and why none needs to. */
const WITHOUT_METHOD: Readonly<Record<string, string>> = {
  ...Object.fromEntries(BROWSE_OPERATIONS.map(({ operationId }) => [operationId, FOR_PAGES])),
  endContract: 'The dashboard ends a contract so, without a key; `contracts.cancel` does it as the store.',
  openSession: 'The dashboard opens a session so, without a key; `sessions.create` does it as the store.',
  saveAutomaticSnapshot: 'The dashboard saves one before it travels; `snapshots.save` does it for a program.',
  streamEvents: '`events.tail` gives the same events to a loop.',
  streamDeliveries: '`layaway listen` forwards by it; a test listens on a URL of its own.',
  reportDelivery: '`layaway listen` reports by it what it forwarded.',
  getEmailPage: 'A browser shows it; `emails.get` has the text and the HTML.',
  getEmailFrame: 'A browser shows it inside the page of the email.',
  createDashboardLink: '`dashboardUrl` is such a link.',
  getHealth: '`createSimulator` answers when the server listens.',
  getControlDocument: 'It describes what the methods call; it is read by its URL.',
};

const LIBRARY = join(import.meta.dirname, '../../src/library');

/** The operations named as the first argument of an `ask(…)`. */
function askedIn(file: string): string[] {
  const found: string[] = [];
  const tree = ts.createSourceFile(file, readFileSync(join(LIBRARY, file), 'utf8'), ts.ScriptTarget.ES2023, true);
  const visit = (node: ts.Node) => {
    const [operation] = ts.isCallExpression(node) && node.expression.getText() === 'ask' ? node.arguments : [];
    if (operation) found.push(ts.isPropertyAccessExpression(operation) ? operation.name.text : operation.getText());
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

test('interface §4: every operation of the control plane is a method of the library, or needs none', () => {
  const sources = readdirSync(LIBRARY, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const asked = sources.flatMap(askedIn);
  const uncalled = CONTROL_OPERATIONS.map(({ operationId }) => operationId).filter((id) => !asked.includes(id));
  expect(uncalled.sort(), 'Call it from a method, or say in WITHOUT_METHOD why none needs to').toEqual(
    Object.keys(WITHOUT_METHOD).sort(),
  );
});
