import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { key, onSignIn } from '../key.ts';
import { Command } from '../parts/ui.tsx';

export function SignedOut() {
  const wasIn = key() !== '';
  // The cookie and the key of that sign-in serve this tab, too.
  useEffect(() => onSignIn(() => location.reload()), []);
  return (
    <MessagePage title={wasIn ? 'You have been signed out' : 'The dashboard opens with a link'}>
      <p>
        {wasIn
          ? 'The simulator was restarted, so this browser has to sign in again.'
          : 'This browser is not signed in at this address.'}{' '}
        Run:
      </p>
      <Command text="npx layaway dashboard" />
      <p>It opens a new tab. This one then continues, too.</p>
    </MessagePage>
  );
}

/** A page with a single message. It may take the place of a view, whose title and focus it then takes, too. */
export function MessagePage({ title, children }: { title: string; children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Layaway`;
    heading.current?.focus();
  }, [title]);
  return (
    <main class="alone">
      <h1 tabIndex={-1} ref={heading}>
        {title}
      </h1>
      {children}
    </main>
  );
}
