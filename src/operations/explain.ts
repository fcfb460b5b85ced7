import * as Type from 'typebox';
import { CHAIN_KINDS } from '../domain/explain/story.ts';
import { enveloped, named, ok, operation, resource } from './operation.ts';
import { instant, nullable, oneOf, text } from './schemas.ts';

const Link = resource({
  at: instant('On the account’s clock.'),
  sent_at: nullable(instant('Real time, where it was asked for or sent.')),
  what: text('What happened.'),
  because: text('Why, with the setting that decided it.'),
  section: nullable(text('The section with the rule, in the description of the service or of what is assumed.')),
  setting: nullable(
    resource({
      name: Type.String(),
      value: Type.Unknown({ description: 'The value that decided it then.' }),
    }),
  ),
  id: nullable(text('The id of the item, if it has one.')),
  kind: oneOf(CHAIN_KINDS),
});

export const Explanation = named('Explanation', 'The explanation of an item.', {
  subject: text('The subject: `LAY-…`, `LAY-…#2`, `cs_…`, or another id.'),
  state: text('Its status now, or what it is if it has no status.'),
  summary: text('Its state, the reason, and what comes next.'),
  chain: Type.Array(Link, { description: 'The chain of causes, oldest first; the same for every id of one story.' }),
  ahead: Type.Array(
    resource({
      at: instant('On the account’s clock.'),
      what: text('What comes if nobody acts.'),
      unless: text('How to avert it.'),
    }),
    { description: 'Everything in the forecast about the subject.' },
  ),
});

export const explain = operation({
  operationId: 'explain',
  method: 'GET',
  path: '/_sim/explain/{id}',
  auth: 'account',
  tag: 'Explain',
  summary: 'Read the chain of causes behind any id',
  description:
    'For a session, a contract, an installment (`LAY-…#2`), an event, a delivery, an email, a request, a payment attempt or a webhook endpoint.',
  params: { id: 'Any of these ids.' },
  success: ok(enveloped('Explanation'), 'The explanation.'),
  refusals: [401, 404],
});

export const EXPLAIN_SCHEMAS = [Explanation] as const;
export const EXPLAIN_OPERATIONS = [explain] as const;
