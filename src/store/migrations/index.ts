import { service } from './0001-service.ts';
import { webhooks } from './0002-webhooks.ts';
import { browse } from './0003-browse.ts';
import { faults } from './0004-faults.ts';
import { listeners } from './0005-listeners.ts';
import { coverage } from './0006-coverage.ts';
import { causes } from './0007-causes.ts';
import { requests } from './0008-requests.ts';
import { givenUp } from './0009-given-up.ts';
import { discarded } from './0010-discarded.ts';
import { plainLists } from './0011-plain-lists.ts';
import { keysInOrder } from './0012-keys-in-order.ts';
import { faultIds } from './0013-fault-ids.ts';
import { furnished } from './0014-furnished.ts';
import { previews } from './0015-previews.ts';

/** In order; the n-th takes a database from version n-1 to n. Once released, one is never edited. */
export const MIGRATIONS: readonly string[] = [
  service,
  webhooks,
  browse,
  faults,
  listeners,
  coverage,
  causes,
  requests,
  givenUp,
  discarded,
  plainLists,
  keysInOrder,
  faultIds,
  furnished,
  previews,
];
