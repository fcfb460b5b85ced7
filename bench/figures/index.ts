import type { Figure } from '../figure.ts';
import { contractList } from './contract-list.ts';
import { contractRead } from './contract-read.ts';
import { help } from './help.ts';
import { memory } from './memory.ts';
import { sessionCreate } from './session-create.ts';
import { start } from './start.ts';

/** Everything that is measured, in the order of the table. */
export const FIGURES: Readonly<Record<string, Figure>> = {
  'session-create': sessionCreate,
  'contract-read': contractRead,
  start,
  help,
  'contract-list': contractList,
  memory,
};
