import type { Command } from 'commander';
import { reasons } from '../../domain/explain/reasons.ts';
import { explain as operation } from '../../operations/explain.ts';
import type { Explanation } from '../../operations/wire.ts';
import { type Cli, run } from '../command.ts';
import { describe } from '../describe.ts';
import { readdressed } from '../server/address.ts';
import { instant } from '../terminal/format.ts';
import { asked } from '../terminal/prompt.ts';
import type { Span } from '../terminal/table.ts';

export default function explain(command: Command) {
  describe(
    command,
    'Explain why something happened: the chain of causes, and what comes next.',
    "layaway explain 'LAY-7K3M9QXAHD#2'",
    'Accepts the id of a session, contract, installment (LAY-…#2), event, delivery, email, request, payment attempt or webhook endpoint.',
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

/** How far the rest of a line is indented that does not fit. */
const HANG = 4;

function tell({ out, flags }: Cli, { subject, state, summary, chain, ahead }: Explanation) {
  const { bold, dim } = out.paint;
  out.line(bold(`${subject}: ${state}`));
  for (const line of out.wrap(readdressed(summary, flags), 0)) out.line(line);
  out.line('');
  out.line(bold('What happened'));
  const because = reasons(chain);
  for (const [place, { at, kind, what, section, id }] of chain.entries()) {
    dated(at, `${kind.padEnd(10)}  ${what}`);
    indented([
      [`${because[place]}${section === null ? '' : ` [${section}]`}`],
      ...(id === null ? [] : [[` ${id}`, dim] as Span]),
    ]);
  }
  out.line('');
  out.line(bold('What lies ahead'));
  if (ahead.length === 0) out.line('Nothing, if nobody acts.');
  for (const { at, what, unless } of ahead) {
    dated(at, what);
    indented([[`Unless ${readdressed(unless, flags)}`]]);
  }

  function dated(at: string, text: string) {
    const [first = '', ...rest] = out.wrap([[instant(at), dim], [`  ${text}`]], 0, HANG);
    out.line(first);
    for (const line of rest) out.line(`${' '.repeat(HANG)}${line}`);
  }

  function indented(spans: readonly Span[]) {
    for (const line of out.wrap(spans, 2)) out.line(`  ${line}`);
  }
}
