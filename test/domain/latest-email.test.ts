import { expect, test } from 'vitest';
import { latestEmailNote } from '../../src/domain/latest-email.ts';

test.each([
  [undefined, 'There is no email yet.'],
  [
    { to: 'ada@example.com', reference: 'LAY-7K3M9QXAHD', subject: 'Payment received' },
    'The latest is to ada@example.com about LAY-7K3M9QXAHD: "Payment received".',
  ],
  [
    { to: 'merchant@example.com', reference: null, subject: 'Endpoint disabled' },
    'The latest is to merchant@example.com: "Endpoint disabled".',
  ],
])('a wait that found no email tells of the latest: %j', (email, note) => {
  expect(latestEmailNote(email)).toBe(note);
});
