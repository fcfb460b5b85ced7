import type { ComponentChildren } from 'preact';
import { Command } from '../parts/ui.tsx';

export function Outside() {
  return (
    <Alone title="You have been signed out">
      <p>The simulator was restarted, so this browser has to be let in again. Run:</p>
      <Command text="layaway dashboard" />
    </Alone>
  );
}

/** A page with one thing to say. */
export function Alone({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <main class="alone">
      <h1>{title}</h1>
      {children}
    </main>
  );
}
