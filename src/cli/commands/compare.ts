import type { Command } from 'commander';
import { counted } from '../../domain/text.ts';
import { getSettings } from '../../operations/settings.ts';
import { run } from '../command.ts';
import type { Comparison } from '../compare/compare.ts';
import { describe } from '../describe.ts';
import { unmet, usage } from '../exit.ts';
import { notEmpty } from '../input/arguments.ts';
import { type ReportFlags, reporterOf, reporterOption } from '../input/reporter.ts';
import { checkReportFile, writeReport } from '../report-file.ts';
import { addressWords, isLive } from '../server/address.ts';
import { BASE_URL } from '../server/transport.ts';
import { ifSimulator, waitingFaults } from '../server/waiting-faults.ts';
import { withProgress } from '../terminal/progress.ts';

export default function compare(command: Command) {
  describe(
    command,
    'Compare this server with the real service: the same requests to both, and every difference.',
    'layaway compare --against real',
    'Ids, times and URLs are compared by their form. Without --write nothing is created on either server.' +
      '\nExits with 5 when a response differs.',
  )
    .option('--against <profile|url>', 'the other server, by the name of a profile or by its URL (required)')
    .option('--write', 'also open a session on both and leave it to expire')
    .addOption(reporterOption())
    .option('--output <file>', 'write the report to this file', notEmpty)
    .action(
      run(async ({ client, out, flags: global }, flags: Flags) => {
        if (flags.output !== undefined) await checkReportFile(flags.output);
        const { askedSecondServer } = await import('../server/second-server.ts');
        const there = await askedSecondServer('--against', flags.against);
        const { baseUrl, clientId, apiKey, from } = await client.address();
        if (isLive(apiKey)) throw usage(`The API key from ${from.apiKey} is a live key. Use a sandbox pair.`);
        if (baseUrl === there.baseUrl)
          throw usage(`--against: ${baseUrl} is the server that this command already uses.`);

        const [{ compare }, report] = await Promise.all([
          import('../compare/compare.ts'),
          import('../compare/report.ts'),
        ]);
        const count = await ifSimulator(async () => (await client.call(getSettings)).body.data.installment_count);
        const installmentCount = typeof count === 'number' ? count : null;
        const faults = (await waitingFaults(client))?.faults.length;
        if (faults) {
          out.note(
            `Your account has ${counted(faults, 'fault')} for requests, which the comparison can meet. Remove faults with \`layaway faults clear\`.`,
          );
        }
        const options = { write: flags.write ?? false, note: out.note, installmentCount };
        const here = { flag: BASE_URL, baseUrl, clientId, apiKey };
        const comparison = await withProgress('Comparing', compare(here, there, options));
        const reporter = reporterOf(flags, out.json);
        const text = { spec: report.specOf, json: report.jsonOf, junit: report.junitOf }[reporter];
        if (flags.output !== undefined) await writeReport(flags.output, text(comparison), out.document);
        else if (reporter !== 'spec') out.document(text(comparison));
        else for (const line of report.linesOf(comparison, out.paint, addressWords(global))) out.line(line);
        for (const { title, why } of comparison.skipped) out.note(`Not compared: ${title} (${why}).`);
        end(comparison, baseUrl, there.baseUrl);
        if (flags.output !== undefined) out.note(report.specOf(comparison).trimEnd());
      }),
    );
}

interface Flags extends ReportFlags {
  readonly against?: string;
  readonly write?: boolean;
}

/** @throws CommandError when they differ */
function end({ compared }: Comparison, here: string, there: string) {
  const count = compared.flatMap(({ differences }) => differences).length;
  if (count === 0) return;
  const probes = compared.filter(({ differences }) => differences.length > 0).length;
  throw unmet(
    `${there} answers ${probes} of ${counted(compared.length, 'request')} differently from ${here}: ${counted(count, 'difference')}.`,
  );
}
