import { extname } from 'node:path';
import { Option } from 'commander';

const REPORTERS = ['spec', 'json', 'junit'] as const;
type Reporter = (typeof REPORTERS)[number];

export interface ReportFlags {
  readonly reporter?: Reporter;
  readonly output?: string;
}

export const reporterOption = () =>
  new Option('--reporter <name>', 'report format (default: by the ending of --output, otherwise spec)').choices(
    REPORTERS,
  );

const BY_ENDING: Readonly<Record<string, Reporter>> = { '.json': 'json', '.xml': 'junit' };

export function reporterOf({ reporter }: ReportFlags, output: string | undefined, isJson: boolean): Reporter {
  return isJson ? 'json' : (reporter ?? BY_ENDING[extname(output ?? '')] ?? 'spec');
}
