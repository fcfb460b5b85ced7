import type { Command } from 'commander';
import { createDashboardLink } from '../../operations/workspace.ts';
import { type Cli, run } from '../command.ts';
import { describe } from '../describe.ts';
import { Refused } from '../exit.ts';
import { openInBrowser } from '../terminal/browser.ts';
import { canAsk } from '../terminal/prompt.ts';

export default function dashboard(command: Command) {
  describe(
    command,
    'Print a one-time link that signs you in to the dashboard; on a terminal, open it.',
    'layaway dashboard',
  ).action(run(work));
}

async function work(cli: Cli) {
  const { client, out } = cli;
  const answer = await client.call(createDashboardLink).catch(async (error: unknown) => {
    const { baseUrl } = await client.address();
    if (
      !(error instanceof Refused) ||
      error.status !== 404 ||
      !error.message.includes(createDashboardLink.path.slice(1))
    )
      throw error;
    throw new Refused(
      error.status,
      error.body,
      `The server at ${baseUrl} has no dashboard. Upgrade layaway and start it again.`,
    );
  });
  const { url } = answer.body.data;
  await cli.show(answer, () => out.line(url));
  if (out.json || !canAsk()) return;
  await openInBrowser(url);
  out.note('Opened in your browser.');
}
