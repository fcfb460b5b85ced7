import { parseArgs } from 'node:util';

export interface Options {
  readonly names: readonly string[];
  readonly quick: boolean;
  readonly json: boolean;
  readonly markdown: boolean;
  readonly peers: boolean;
  /** Where the run is written after each line. */
  readonly output?: string | undefined;
  /** A stored run to compare with. */
  readonly compare?: string | undefined;
  /** A stored run to read instead of measuring. */
  readonly from?: string | undefined;
  readonly limitMs?: number | undefined;
}

export const usage = (names: readonly string[]) => `Usage: npm run bench -- [options] [figure]...

  --quick           few rounds: only checks that the bench works
  --peers           also measure emulate and Prism, which are downloaded into a cache folder
  --json            print one JSON document at the end
  --output <file>   write the same document into a file after each line, so that a run that is killed keeps its lines
  --markdown        write the tables into BENCHMARKS.md
  --compare <file>  report what became slower than in a stored --json document
  --from <file>     read a run from a --json document instead of measuring
  --limit <seconds> give up a figure after this time without a result (900)

Figures: ${names.join(', ')}`;

/** @throws Error with a message for people if an option or a figure does not exist */
export function optionsOf(args: string[], names: readonly string[]): Options {
  const flag = { type: 'boolean', default: false } as const;
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      quick: flag,
      json: flag,
      markdown: flag,
      peers: flag,
      output: text,
      compare: text,
      from: text,
      limit: text,
    },
  });
  const unknown = positionals.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`No figure is called ${unknown.join(' or ')}.`);
  const { limit, ...rest } = values;
  const seconds = Number(limit);
  if (limit !== undefined && !(seconds > 0)) throw new Error('--limit takes a number of seconds above 0.');
  return { names: positionals, ...rest, limitMs: limit === undefined ? undefined : seconds * 1000 };
}
