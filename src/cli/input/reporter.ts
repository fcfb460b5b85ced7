import { Option } from 'commander';
import { formatOf } from '../report-file.ts';

const REPORTERS = ['spec', 'json', 'junit'] as const;
type Reporter = (typeof REPORTERS)[number];

export interface ReportFlags {
  readonly reporter?: Reporter;
  readonly output?: string | undefined;
}

export const reporterOption = () =>
  new Option('--reporter <name>', 'report format (default: by the ending of --output, otherwise spec)').choices(
    REPORTERS,
  );

/** What is printed with --json is JSON. A file may have another format. */
export function reporterOf({ reporter, output }: ReportFlags, isJson: boolean): Reporter {
  if (isJson && output === undefined) return 'json';
  const format = formatOf(output ?? '');
  return reporter ?? (format === 'json' || format === 'junit' ? format : isJson ? 'json' : 'spec');
}
