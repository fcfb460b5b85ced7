import { Option } from 'commander';
import { reportFormat } from '../report-file.ts';

const REPORTERS = ['spec', 'json', 'junit'] as const;
type Reporter = (typeof REPORTERS)[number];

export interface ReportFlags {
  readonly reporter?: Reporter;
  readonly output?: string | undefined;
}

export const reporterOption = () =>
  new Option('--reporter <name>', 'report format (default: by the extension of --output, otherwise spec)').choices(
    REPORTERS,
  );

export const reporterOf = ({ reporter, output }: ReportFlags, isJson: boolean): Reporter =>
  reportFormat(REPORTERS, { format: reporter, output }, isJson);
