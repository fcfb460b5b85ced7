import { useContext, useState } from 'preact/hooks';
import { useRead } from '../live.ts';
import { Here } from '../parts/here.ts';
import { Id } from '../parts/link-to.tsx';
import { Empty, Facts, Json, Link, Moment, Page, Panel, Shown } from '../parts/ui.tsx';
import { refine } from '../route.ts';
import type { Email, Related } from '../wire.ts';
import { plural } from '../words.ts';

const LIMIT = 100;

export function InboxView({ id, query }: { id: string | null; query: URLSearchParams }) {
  const { href } = useContext(Here);
  const to = query.get('to') ?? '';
  const [text, setText] = useState(to);
  const asked = new URLSearchParams({ limit: String(LIMIT), ...(to === '' ? {} : { to }) });
  const read = useRead<readonly Email[]>(`/_sim/emails?${asked}`);
  const chosen = useRead<Email>(id === null ? null : `/_sim/emails/${encodeURIComponent(id)}`);
  return (
    <Page
      title="Inbox"
      lead="E-mails that the service would have sent. None leaves this machine unless --smtp says so."
    >
      <div class="filters">
        <input
          type="search"
          aria-label="To exactly this address"
          placeholder="To exactly this address"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onChange={() => refine({ to: text.trim() })}
        />
      </div>
      <Shown of={read}>
        {(emails) =>
          emails.length === 0 && id === null ? (
            <Panel title="E-mails">
              {to === '' ? (
                <Empty run="layaway sessions complete <id>">
                  No e-mail yet. A customer gets the first one when a checkout is completed:
                </Empty>
              ) : (
                <Empty>{`No e-mail to ${to}.`}</Empty>
              )}
            </Panel>
          ) : (
            <div class={id === null ? 'mail' : 'mail open'}>
              <nav class="panel mail-list" aria-label="E-mails">
                <ul>
                  {emails.map(({ id: each, to: recipient, subject, created_at }) => (
                    <li key={each}>
                      <Link
                        href={href('inbox', each, to === '' ? {} : { to })}
                        aria-current={each === id ? 'true' : undefined}
                      >
                        <bdi class="mail-subject">{subject}</bdi>
                        <span class="soft">
                          {recipient} · <Moment at={created_at} />
                        </span>
                      </Link>
                    </li>
                  ))}
                </ul>
                {emails.length === LIMIT && <p class="more">The latest {plural(LIMIT, 'e-mail')}.</p>}
              </nav>
              {id === null ? (
                <p class="panel mail-none">Choose an e-mail to read it.</p>
              ) : (
                <Shown of={chosen}>{(email) => <Reader key={email.id} email={email} />}</Shown>
              )}
            </div>
          )
        }
      </Shown>
    </Page>
  );
}

const FORMS = ['html', 'text', 'source'] as const;
type Form = (typeof FORMS)[number];

function Reader({ email }: { email: Email }) {
  const [form, setForm] = useState<Form>('html');
  return (
    <Panel title={<bdi>{email.subject}</bdi>} testId="email">
      <Facts
        of={[
          ['From', email.from],
          ['To', email.to],
          ['When', <Moment at={email.created_at} />],
          ['Template', email.template],
          ...(email.reference === null ? [] : [['Contract', <Id of={email.reference} />] as const]),
          ...(email.reference === null
            ? []
            : [['Caused by', <Cause email={email} reference={email.reference} />] as const]),
        ]}
      />
      <fieldset class="tabs">
        <legend class="unseen">Show as</legend>
        {FORMS.map((each) => (
          <button key={each} type="button" aria-pressed={form === each} onClick={() => setForm(each)}>
            {each === 'html' ? 'HTML' : each === 'text' ? 'Text' : 'Source'}
          </button>
        ))}
      </fieldset>
      {form === 'html' && <Framed id={email.id} subject={email.subject} />}
      {form === 'text' && <Json value={email.text} label="Text part" />}
      {form === 'source' && <Json value={email.html} label="HTML source" />}
    </Panel>
  );
}

/** Sandboxed without any allowance, and under a policy of its own that lets its styles through and nothing else. */
function Framed({ id, subject }: { id: string; subject: string }) {
  const { account } = useContext(Here);
  const source = `/_sim/emails/${encodeURIComponent(id)}/page?account=${encodeURIComponent(account.client_id)}`;
  return <iframe class="mail-frame" sandbox="" title={`E-mail: ${subject}`} src={source} />;
}

/** The events of the same instant: one transaction wrote them and the e-mail. */
function Cause({ email, reference }: { email: Email; reference: string }) {
  const { href } = useContext(Here);
  const read = useRead<Related>(`/_sim/browse/related/${encodeURIComponent(reference)}`);
  const causes = read.data?.events.filter(({ created_at }) => created_at === email.created_at) ?? [];
  if (causes.length === 0) return <>the plan itself</>;
  return (
    <>
      {causes.map(({ id, type }) => (
        <Link key={id} class="id block" href={href('events', id)}>
          {type}
        </Link>
      ))}
    </>
  );
}
