import { expect, test } from 'vitest';
import { suggestion } from '../src/nearest.ts';

const VERBS = ['list', 'create', 'get', 'set', 'delete'];

test.each([
  ['lsit', VERBS, 'Did you mean list?'],
  ['ls', VERBS, 'Did you mean list?'],
  ['gte', VERBS, 'Did you mean get?'],
  ['evn', ['serve', 'env', 'events'], 'Did you mean env?'],
  ['evnet', ['serve', 'env', 'events'], 'Did you mean events?'],
  ['Create', VERBS, 'Did you mean create?'],
  ['webhook.duplicate', ['webhooks.duplicate', 'webhooks.forged'], 'Did you mean webhooks.duplicate?'],
  ['tolerance', ['toleranceSeconds'], 'Did you mean toleranceSeconds?'],
  ['customer', ['cursor', 'customer_email'], 'Did you mean customer_email?'],
  ['update', VERBS, 'Available: list, create, get, set, delete.'],
  ['x', VERBS, 'Available: list, create, get, set, delete.'],
  ['x', [], ''],
])('%s among %j', (word, names, said) => {
  expect(suggestion(word, names)).toBe(said);
});
