import { MANIFEST } from '../src/cli/manifest.ts';
import { createProgram } from '../src/cli/program.ts';
import { VERSION } from '../src/version.ts';

/** The width that commander assumes where there is no terminal. */
const PIPED = 80;

function helpAt(width: number): string {
  let text = '';
  createProgram(VERSION, MANIFEST)
    .configureOutput({
      writeOut(part) {
        text += part;
      },
      getOutHelpWidth: () => width,
    })
    .outputHelp();
  return text;
}

/** `layaway --help` as it is piped, and on a terminal where no line is too long. */
export default { piped: helpAt(PIPED), wide: helpAt(Number.MAX_SAFE_INTEGER) };
