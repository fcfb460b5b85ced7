import { useContext } from 'preact/hooks';
import type { Found } from '../../../operations/wire.ts';
import { hrefOf } from '../route.ts';
import { Here } from './here.ts';
import { Link } from './ui.tsx';

/** The view of each kind of thing that has a page. */
export const VIEW_OF = {
  contract: 'contracts',
  session: 'sessions',
  event: 'events',
  delivery: 'webhooks',
  email: 'inbox',
  request: 'requests',
} as const;

const KINDS: readonly (readonly [prefix: string, kind: keyof typeof VIEW_OF])[] = [
  ['LAY-', 'contract'],
  ['cs_', 'session'],
  ['evt_', 'event'],
  ['dlv_', 'delivery'],
  ['eml_', 'email'],
  ['req_', 'request'],
];

const viewOfId = (id: string) => {
  const [, kind] = KINDS.find(([prefix]) => id.startsWith(prefix)) ?? [];
  return kind && VIEW_OF[kind];
};

export const hasPage = (id: string) => viewOfId(id) !== undefined;

/** A link from an id to the resource it names. */
export function Id({ of, short = false }: { of: string; short?: boolean }) {
  const { href } = useContext(Here);
  const text = short ? shortened(of) : of;
  // A payment or an endpoint is looked up, because it is part of another page.
  const view = viewOfId(of) ?? (/^(sim|pay|we)_/.test(of) ? 'go' : null);
  if (view === null) return <code title={of}>{text}</code>;
  return (
    <Link href={href(view, of.split('#', 1)[0])} title={of} class="id">
      {text}
    </Link>
  );
}

/** Ids of one kind begin alike, so the short form keeps the end. */
export const shortened = (id: string) => (id.length > 16 ? `${id.slice(0, 4)}…${id.slice(-8)}` : id);

/** The page of an id, in the account that has it. */
export function pageOf({ client_id, kind, session, contract }: Found, id: string): string {
  switch (kind) {
    case 'account':
      return hrefOf(client_id);
    case 'endpoint':
      return hrefOf(client_id, 'webhooks', null, { endpoint_id: id });
    case 'session':
      return hrefOf(client_id, VIEW_OF.session, session);
    case 'contract':
    case 'payment':
      return hrefOf(client_id, VIEW_OF.contract, contract);
    default:
      return hrefOf(client_id, VIEW_OF[kind], id);
  }
}
