import type { Command } from 'commander';
import { VERSION } from '../../version.ts';
import { well } from '../checks/check.ts';
import { checkMachine, checkSettings } from '../checks/machine.ts';
import { checkServer } from '../checks/server.ts';
import { run } from '../command.ts';
import { describe } from '../describe.ts';
import { EXIT } from '../exit.ts';
import { addressLine, passedOverLine } from '../server/address.ts';
import { UnreadableSettings } from '../server/profiles.ts';

export default function doctor(command: Command) {
  describe(
    command,
    'Check Node, the native module, directory, disk, port, server, clock and webhook endpoints.',
    'layaway doctor',
  ).action(
    run(async ({ client, out, flags }) => {
      const settings = checkSettings();
      const address = await client.address().catch((error: unknown) => {
        if (error instanceof UnreadableSettings) return null;
        throw error;
      });
      const checks = [
        ...(address ? [well('address', addressLine(address), passedOverLine(address))] : []),
        ...settings,
        ...(await checkMachine(address)),
        ...(address ? await checkServer(client, flags) : []),
      ];
      const ok = checks.every((check) => check.ok);
      if (!ok) process.exitCode = EXIT.failure;
      if (out.json) return out.document(JSON.stringify({ data: { ok, version: VERSION, checks } }));
      const width = Math.max(...checks.map(({ name }) => name.length));
      for (const { name, ok: isWell, detail, advice } of checks) {
        const mark = isWell ? out.paint.green('ok  ') : out.paint.red('FIX ');
        const [first = '', ...rest] = out.wrap(detail, width + 6);
        out.line(`${mark}${name.padEnd(width)}  ${first}`);
        const toDo = out.wrap(advice ?? '', width + 6).map((line) => out.paint.bold(line));
        for (const line of [...rest, ...toDo]) out.line(`${' '.repeat(width + 6)}${line}`);
      }
    }),
  );
}
