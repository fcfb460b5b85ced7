/** The pages for a browser that is not signed in. They load only this style sheet. */
export const DOOR_STYLE = `:root { color-scheme: light dark; --ground: #f5f6f8; --panel: #fff; --ink: #16202e; --muted: #4d5a6b; --line: #d9dee6; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #0e141c; --panel: #18212c; --ink: #e9eef5; --muted: #a9b6c6; --line: #2c3847; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 12vh 1rem 2rem; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 34rem; margin: 0 auto; padding: 1.75rem; background: var(--panel); border: 1px solid var(--line); border-radius: 12px; }
h1 { margin: 0 0 .75rem; font-size: 1.375rem; line-height: 1.25; }
a { color: inherit; }
p, ul { margin: 0 0 .75rem; }
p:last-child { margin: 0; color: var(--muted); }
pre { margin: 0 0 .75rem; padding: .75rem 1rem; overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; background: var(--ground); font: .9375rem/1.5 ui-monospace, Menlo, Consolas, monospace; }
`;

/** A page outside the dashboard. `body` is markup. */
export const page = (title: string, body: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/dashboard/door.css">
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;

const COMMAND = '<pre tabindex="0" aria-label="Command">npx layaway dashboard</pre>';

export const SIGN_IN_PAGE = page(
  'The dashboard opens with a link',
  `<p>This browser is not signed in. Run this in the folder that the simulator was started from:</p>
${COMMAND}
<p>This opens the dashboard and signs the browser in. You can then reload this page. The link that <code>layaway serve</code> printed does the same, but works only once. After a restart of the simulator you need a new link. If a new link leads to this page, too, the browser blocks the cookies of this address: allow them.</p>`,
);

export const USED_LINK_PAGE = page(
  'This link is no longer valid',
  `<p>A link to the dashboard works once, and only until the simulator stops. To get a new one, run:</p>
${COMMAND}
<p>The simulator itself is running.</p>`,
);

export const NOT_BUILT_PAGE = page(
  'The dashboard has not been built',
  `<p>This simulator runs from its sources, and the dashboard has not been built yet. Run:</p>
<pre tabindex="0" aria-label="Command">npm run build</pre>
<p>An installed package includes the dashboard.</p>`,
);
