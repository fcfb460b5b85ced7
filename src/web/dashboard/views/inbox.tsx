import { useContext } from 'preact/hooks';
import { type EmailTemplate, TRIGGERS } from '../../../domain/email.ts';
import { browseEmails } from '../../../operations/browse.ts';
import { getEmail, getEmailFrame } from '../../../operations/emails.ts';
import type { Email, Related } from '../../../operations/wire.ts';
import { ifThere, onceWith, useRead } from '../live.ts';
import { Here } from '../parts/here.ts';
import { Id } from '../parts/link-to.tsx';
import { NewRows, useHeldPage } from '../parts/lists/held.tsx';
import { Backwards, NoneFound, noMatch, SearchBox, ShownBack, useBack } from '../parts/lists/pages.tsx';
import { Explained } from '../parts/resources/explain.tsx';
import { type ReadRelated, RelatedTo, useRelated } from '../parts/resources/related.tsx';
import { isNotFound, NOT_FOUND, NotFound, Shown } from '../parts/shown.tsx';
import { Empty, Facts, Json, Link, Moment, Page, Panel } from '../parts/ui.tsx';
import { refine } from '../route.ts';

export function InboxView({ id, query }: { id: string | null; query: URLSearchParams }) {
  const { href } = useContext(Here);
  const read = useBack(browseEmails, query, ['search']);
  const chosen = useRead(getEmail, id === null ? null : { params: { id } });
  const related = ifThere(useRelated(id));
  const frame = useRead(getEmailFrame, id === null ? null : { params: { id } });
  const held = useHeldPage(read, (email) => email.id);
  const isNarrowed = query.has('search') || query.has('before');
  const kept = Object.fromEntries(query);
  const none = (older: string | null) =>
    isNarrowed ? (
      <Empty>{noMatch(older)}</Empty>
    ) : (
      <Empty run="layaway contracts create --order-reference A-1001 --total-amount 20000">
        No email yet. A customer gets the first one when a plan begins:
      </Empty>
    );
  return (
    <Page
      title="Inbox"
      lead={
        <>
          Emails that the service would send. They stay on this machine unless the simulator runs with{' '}
          <code class="unbroken">--smtp</code>.
        </>
      }
      opensPanel={id !== null}
    >
      <div class="filters">
        <SearchBox query={query} label="Search address, contract, template" />
        <NoneFound of={read} isNarrowed={isNarrowed} />
      </div>
      <ShownBack of={read} query={query}>
        {({ data, meta: { older } }) =>
          data.length === 0 && id === null ? (
            <Panel title="Emails">
              {none(older)}
              <Backwards query={query} older={older} />
            </Panel>
          ) : (
            <div class={id === null ? 'mail' : 'mail open'}>
              <nav class="panel mail-list" aria-label="Emails">
                <NewRows of={held} one="email" />
                {data.length === 0 && none(older)}
                <ul>
                  {held.rows?.map(({ id: each, to: recipient, subject, created_at }) => (
                    <li key={each}>
                      <Link href={href('inbox', each, kept)} aria-current={each === id ? 'true' : undefined}>
                        <bdi class="mail-subject">{subject}</bdi>
                        <span class="soft mail-to">
                          <bdi>{recipient}</bdi> <Moment at={created_at} />
                        </span>
                      </Link>
                    </li>
                  ))}
                </ul>
                <Backwards query={query} older={older} />
              </nav>
              {id === null ? (
                <p class="panel mail-none">Choose an email to read it.</p>
              ) : isNotFound(chosen) ? (
                <Panel title={NOT_FOUND} isOpened>
                  <NotFound id={id} />
                </Panel>
              ) : (
                <Shown of={onceWith(chosen, related, frame)}>
                  {(email) => (
                    <Reader key={email.id} email={email} related={related} src={frame.data?.src ?? ''} query={query} />
                  )}
                </Shown>
              )}
            </div>
          )
        }
      </ShownBack>
    </Page>
  );
}

const FORMS = [
  ['', 'HTML'],
  ['text', 'Text'],
  ['source', 'Source'],
] as const;

interface Opened {
  readonly email: Email;
  readonly related: ReadRelated;
  readonly src: string;
  readonly query: URLSearchParams;
}

function Reader({ email, related, src, query }: Opened) {
  const form = query.get('as') ?? '';
  return (
    <div class="reader">
      <Panel title={<bdi>{email.subject}</bdi>} isOpened testId="email">
        <Facts
          of={[
            ['From', <bdi dir="ltr">{email.from}</bdi>],
            ['To', <bdi>{email.to}</bdi>],
            ['When', <Moment at={email.created_at} />],
            ['Template', email.template],
            ...(email.reference === null
              ? []
              : ([
                  ['Contract', <Id of={email.reference} />],
                  ['Caused by', <Cause email={email} of={related.data} />],
                ] as const)),
          ]}
        />
        <fieldset class="tabs">
          <legend class="unseen">Show as</legend>
          {FORMS.map(([each, name]) => (
            <button key={each} type="button" aria-pressed={form === each} onClick={() => refine({ as: each })}>
              {name}
            </button>
          ))}
        </fieldset>
        {form === '' && <Framed src={src} subject={email.subject} />}
        {form === 'text' && <Json value={email.text} label="Text part" />}
        {form === 'source' && <Json value={email.html} label="HTML source" />}
      </Panel>
      <Explained id={email.id} />
      <RelatedTo of={related} />
    </div>
  );
}

/** Fully sandboxed. The policy of the framed page allows only its styles. */
const Framed = ({ src, subject }: { src: string; subject: string }) => (
  <iframe class="mail-frame" sandbox="" title={`Email: ${subject}`} src={src} />
);

/**
 * The event that triggered an email. One transaction writes both, at the same instant; several installments may be paid
 * at one instant, and their emails are in the same order.
 */
function Cause({ email: { id, template, created_at }, of }: { email: Email; of: Related | null | undefined }) {
  const { href } = useContext(Here);
  const alike = of?.emails.filter((each) => each.template === template && each.created_at === created_at) ?? [];
  const causes =
    of?.events.filter(
      ({ type, created_at: at }) => type === TRIGGERS[template as EmailTemplate] && at === created_at,
    ) ?? [];
  const cause = causes[alike.findIndex((each) => each.id === id)];
  if (!cause) return <>the plan itself</>;
  return (
    <Link class="id" href={href('events', cause.id)}>
      {cause.type}
    </Link>
  );
}
