import type { Command } from 'commander';
import { explain as operation } from '../../operations/explain.ts';
import type { Explanation } from '../../operations/wire.ts';
import { type Cli, run } from '../command.ts';
import { describe } from '../describe.ts';
import { instant } from '../terminal/format.ts';
import { asked } from '../terminal/prompt.ts';

export default function explain(command: Command) {
  describe(
    command,
    'Explain why something happened: the chain of causes, and what comes next.',
    "layaway explain 'LAY-7K3M9QXAHD#2'",
    'Accepts the id of a session, contract, installment (LAY-…#2), event, delivery, e-mail, request, payment attempt or webhook endpoint.',
  )
    .argument('[id]')
    .usage('<id> [options]')
    .action(
      run(async (cli, given: string | undefined) => {
        const id = await asked(given, 'Missing id, such as LAY-… or evt_….', { message: 'Which id?' });
        const answer = await cli.client.call(operation, { params: { id } });
        await cli.show(answer, (explanation) => tell(cli, explanation));
      }),
    );
}

function tell({ out }: Cli, { subject, state, summary, chain, ahead }: Explanation) {
  const { bold, dim } = out.paint;
  out.line(bold(`${subject}: ${state}`));
  out.line(summary);
  out.line('');
  out.line(bold('What happened'));
  for (const { at, kind, what, because, section, id } of chain) {
    out.line(`${dim(instant(at))}  ${kind.padEnd(10)}  ${what}`);
    out.line(`  ${because}${section === null ? '' : ` [${section}]`}${id === null ? '' : dim(` ${id}`)}`);
  }
  out.line('');
  out.line(bold('What lies ahead'));
  if (ahead.length === 0) out.line('Nothing, if nobody acts.');
  for (const { at, what, unless } of ahead) {
    out.line(`${dim(instant(at))}  ${what}`);
    out.line(`  Unless ${unless}`);
  }
}
