import { useContext } from 'preact/hooks';
import { Here } from './here.ts';
import { Link } from './ui.tsx';

/** A link from an id to the resource it names. */
export function Id({ of, short = false }: { of: string; short?: boolean }) {
  const { href } = useContext(Here);
  const [view, id] = addressOf(of);
  const text = short ? shortened(of) : of;
  if (view === null) return <code title={of}>{text}</code>;
  return (
    <Link href={href(view, id)} title={of} class="id">
      {text}
    </Link>
  );
}

/** Ids of one kind begin alike, so the short form keeps the end. */
export const shortened = (id: string) => (id.length > 16 ? `${id.slice(0, 4)}…${id.slice(-8)}` : id);

function addressOf(id: string): [view: string | null, id: string] {
  if (id.startsWith('LAY-')) return ['contracts', id.split('#', 1)[0] as string];
  if (id.startsWith('cs_')) return ['sessions', id];
  if (id.startsWith('evt_')) return ['events', id];
  if (id.startsWith('eml_')) return ['inbox', id];
  if (id.startsWith('req_')) return ['requests', id];
  if (id.startsWith('dlv_')) return ['webhooks', id];
  if (/^(sim|pay|we)_/.test(id)) return ['go', id];
  return [null, id];
}
