import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { needing } from '../../support/programs.ts';
import { atTerminal, TAB } from '../../support/terminal.ts';
import { bin, emptyPlace, otherServer, plan, quotedBin, withSimulator } from '../layaway.ts';

let world: Awaited<ReturnType<typeof withSimulator>>;
let made: { session: string; contract: string };
let place: { cwd: string; env: Record<string, string> };

beforeAll(async () => {
  world = await withSimulator();
  made = await plan(world.sim.default);
  const { cwd } = world.place;
  // What the shells find under the name.
  await writeFile(join(cwd, 'layaway'), `#!/bin/sh\nexec ${quotedBin} "$@"\n`, { mode: 0o755 });
  await writeFile(join(cwd, 'npx'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
  for (const shell of ['bash', 'zsh', 'fish']) {
    await writeFile(join(cwd, `completion.${shell}`), (await world.layaway('completion', shell)).stdout);
  }
  place = { cwd, env: { ...world.place.env, PATH: `${cwd}:${process.env.PATH}` } };
});
afterAll(() => world.sim.close());

/** What each shell offers for a line that was typed so far. */
const OFFERED: Record<string, (line: string, env?: Record<string, string>) => Promise<string[]>> = {
  bash: (line, env) =>
    ask(
      'bash',
      [
        '--norc',
        '-c',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's
        'source completion.bash; COMP_LINE=$1; COMP_POINT=1000; _layaway ${1%% *}; for each in "${COMPREPLY[@]}"; do echo "$each"; done',
        'bash',
        line,
      ],
      env,
    ),
  fish: (line, env) => ask('fish', ['--no-config', '-c', 'source completion.fish; complete -C $argv[1]', line], env),
};

async function ask(shell: string, args: readonly string[], env?: Record<string, string>): Promise<string[]> {
  const { stdout } = await execa(shell, args, { cwd: place.cwd, env: { ...place.env, ...env }, extendEnv: false });
  return stdout
    .split('\n')
    .map((line) => line.split('\t', 1)[0] as string)
    .filter((line) => line !== '');
}

describe.each(['bash', 'fish'])('completion in a real %s', (shell) => {
  const offered = (line: string, env?: Record<string, string>) =>
    (OFFERED[shell] as (line: string, env?: Record<string, string>) => Promise<string[]>)(line, env);

  test('nouns, verbs, flags and their values', needing(shell), async () => {
    const nouns = await offered('layaway ');
    expect(nouns).toEqual(expect.arrayContaining(['serve', 'contracts', 'listen', 'completion', 'doctor']));
    expect(nouns).not.toContain('__complete');
    expect((await offered('layaway con')).sort()).toEqual(['config', 'contracts']);
    expect(await offered('layaway webhooks ')).toEqual(expect.arrayContaining(['list', 'add', 'verify']));
    expect(await offered('layaway sessions create --order')).toEqual(['--order-reference']);
    expect(await offered('layaway contracts list --base')).toEqual(['--base-url']);
    expect(await offered('layaway contracts list --vers')).toEqual(['--version']);
    expect((await offered('layaway serve --clock ')).sort()).toEqual(['frozen', 'running']);
    expect((await offered('layaway completion ')).sort()).toEqual(['bash', 'fish', 'zsh']);
    expect(await offered('layaway events wait contract.c')).toEqual(
      expect.arrayContaining(['contract.cancelled', 'contract.completed']),
    );
    expect(await offered('layaway serve --port ')).toEqual([]);
    expect(await offered('layaway exec --memory -- mkfif')).toContain('mkfifo');
    expect((await offered('layaway schema con')).sort()).toEqual(['config', 'contracts']);
    expect((await offered('layaway schema clock f')).sort()).toEqual(['forecast', 'freeze']);
  });

  test('values: outcomes, the choices of an assumption, and a flag by its command', needing(shell), async () => {
    expect((await offered(`layaway contracts outcomes ${made.contract} `)).sort()).toEqual(['fail', 'pay']);
    expect((await offered(`layaway contracts outcomes ${made.contract} fail `)).sort()).toEqual(['fail', 'pay']);
    expect((await offered('layaway assumptions set layaway_enabled ')).sort()).toEqual(['false', 'true']);
    expect((await offered('layaway assumptions set installment_cadence ')).sort()).toEqual([
      'biweekly',
      'monthly',
      'weekly',
    ]);
    expect(await offered('layaway assumptions set grace_days ')).toEqual([]);
    expect(await offered('layaway sessions list --status d')).toEqual(['decision_made']);
    expect(await offered('layaway contracts list --status d')).toEqual(['defaulted']);
    expect(await offered('layaway logs tail --status 4')).toEqual(['4xx']);
  });

  test('live ids of sessions and contracts, from the server that the line names', needing(shell), async () => {
    expect(await offered('layaway sessions get ')).toEqual([made.session]);
    expect(await offered('layaway contracts cancel LAY-')).toEqual([made.contract]);
    expect(await offered('layaway events wait contract.cancelled --contract ')).toEqual([made.contract]);
    expect(await offered(`layaway contracts cancel ${made.contract} `)).toEqual([]);
    expect(await offered('layaway emails list --reference ')).toEqual([made.contract]);
    expect(await offered('layaway explain ')).toEqual(expect.arrayContaining([made.contract, made.session]));
    const merchants = (await world.sim.listMerchants()).map(({ id }) => id);
    expect((await offered('layaway merchants get mer_')).sort()).toEqual(merchants.sort());
    const elsewhere = { LAYAWAY_BASE_URL: 'http://127.0.0.1:1' };
    expect(await offered(`layaway --base-url ${world.sim.url} contracts get `, elsewhere)).toEqual([made.contract]);
    expect(await offered(`layaway --base-url=${world.sim.url} contracts get `, elsewhere)).toEqual([made.contract]);
    expect(await offered(`layaway --base-url "${world.sim.url}" contracts get `, elsewhere)).toEqual([made.contract]);
    expect(await offered('layaway --base-url=http://127.0.0.1:1 contracts get ')).toEqual([]);
  });

  test.each([`"Ada's Shop"`, `'Ada "Byron"'`, String.raw`Ada\ Byron`, String.raw`"Ada \" Byron"`])(
    'a value with spaces is one word: %s',
    needing(shell),
    async (name) => {
      expect(await offered(`layaway sessions accept --customer-name ${name} cs_`)).toEqual([made.session]);
      expect(await offered(`layaway sessions accept cs_1 --customer-name ${name} `)).toEqual([]);
    },
  );

  test(
    'an id of more contracts than a page has, past the faults and the log of the store',
    needing(shell),
    async () => {
      const shop = await world.sim.merchant();
      const { reference } = await shop.contracts.create({ webhooks: false });
      for (let n = 1; n <= 15; n += 1) await shop.contracts.create({ webhooks: false });
      await shop.faults.add({ kind: 'error', operation: 'listContracts' });
      const line = `layaway contracts get ${reference.slice(0, -2)}`;
      expect(await offered(line, shop.env)).toEqual([reference]);
      expect((await shop.faults.list()).map(({ met }) => met)).toEqual([0]);
      expect(await shop.logs.list()).toEqual([]);
    },
  );

  test('contracts of the service itself, which has no levers', needing(shell), async () => {
    await using service = await otherServer((request, response) => {
      const isList = request.url?.startsWith('/v1/contracts?');
      response.writeHead(isList ? 200 : 404, { 'content-type': 'application/json' });
      const contract = {
        reference: made.contract,
        status: 'active',
        order_reference: null,
        customer_name: 'Ada Byron',
      };
      response.end(JSON.stringify(isList ? { data: [contract], meta: { last_page: 2 } } : { message: 'Not Found' }));
    });
    expect(await offered(`layaway --base-url ${service.url} contracts get `)).toEqual([made.contract]);
  });

  test('words are offered as they are, not as patterns of file names', needing(shell), async () => {
    await writeFile(join(place.cwd, 'contract.json'), '');
    const types = await offered('layaway faults add error --event contract');
    expect(types).toContain('contract.*');
    expect(types).not.toContain('contract.json');
  });

  test('each item of a list', needing(shell), async () => {
    expect(await offered('layaway certify --only genuine,unsi')).toEqual(['genuine,unsigned']);
    expect(await offered('layaway listen --events contract.defaulted,contract.ca')).toEqual([
      'contract.defaulted,contract.cancelled',
    ]);
  });

  test('npx layaway completes like layaway', needing(shell), async () => {
    expect(await offered('npx lay')).toEqual(['layaway']);
    expect((await offered('npx layaway con')).sort()).toEqual(['config', 'contracts']);
    expect(await offered('npx layaway contracts cancel LAY-')).toEqual([made.contract]);
  });

  test('no server, no ids and no noise', needing(shell), async () => {
    expect(await offered('layaway contracts get ', { LAYAWAY_BASE_URL: 'http://127.0.0.1:1' })).toEqual([]);
  });
});

/** Types the arguments of `layaway` and Tab in a shell, and expects the command to get the completed ones. */
async function completes(command: readonly string[], load: string, line: string, wanted: string) {
  const path = join(place.cwd, 'prints');
  await mkdir(path, { recursive: true });
  await writeFile(join(path, 'layaway'), '#!/bin/sh\necho "<$*>"\n', { mode: 0o755 });
  const terminal = atTerminal(command, { cwd: place.cwd, env: { ...place.env, PATH: `${path}:${place.env.PATH}` } });
  await terminal.see(/[#$%>]\s*$/);
  terminal.type(`${load}; echo load''ed\r`);
  await terminal.see('loaded');
  await terminal.see(/[#$%>]\s*$/);
  terminal.type(`layaway ${line}${TAB}`);
  await terminal.see(wanted.split(' ').at(-1) as string);
  terminal.type('\r');
  await terminal.see(/<.*>\n/);
  expect(terminal.text()).toContain(`<${wanted}>\n`);
  terminal.kill();
}

describe('the Tab key', () => {
  describe.each([
    ['bash', ['bash', '--norc'], 'source ./completion.bash'],
    ['zsh', ['zsh', '-f'], 'autoload -Uz compinit && compinit -u -D && source ./completion.zsh'],
    ['fish', ['fish', '--no-config'], 'source ./completion.fish'],
  ])('in a real %s', (shell, command, load) => {
    test('completes nouns, verbs and ids', needing(shell, 'script'), async () => {
      const terminal = atTerminal(command, place);
      const prompt = /[#$%>]\s*$/;
      await terminal.see(prompt);
      // The echo of what is typed must not be mistaken for what it prints.
      terminal.type(`${load}; echo load''ed\r`);
      await terminal.see('loaded');
      await terminal.see(prompt);
      terminal.type(`layaway contr${TAB}`);
      await terminal.see('contracts ');
      terminal.type(`canc${TAB}`);
      await terminal.see('cancel ');
      terminal.type(`LAY${TAB}`);
      await terminal.see(made.contract);
      terminal.kill();
    });

    test.each([
      ['keys create --scopes checkout:w', 'keys create --scopes checkout:write'],
      ['keys create --scopes checkout:read,contracts:w', 'keys create --scopes checkout:read,contracts:write'],
      ['contracts list --status=de', 'contracts list --status=defaulted'],
      ['exec -- node receiver-of', 'exec -- node receiver-of-mine.mjs'],
      ['run first.yaml receiver-of', 'run first.yaml receiver-of-mine.mjs'],
    ])('%s', needing(shell, 'script'), async (line, wanted) => {
      await writeFile(join(place.cwd, 'receiver-of-mine.mjs'), '');
      await completes(command, load, line, wanted);
    });
  });
});

/** Of the 64 KB that a pipe holds. */
const FILLED_BYTES = 60_000;

/** Makes `STDOUT` the output, as a pipe that does not block, and tells when the program waits for its reader. */
const NOT_BLOCKING = `
const { closeSync, constants, openSync } = require('node:fs');
closeSync(1);
openSync(process.env.STDOUT, constants.O_WRONLY | constants.O_NONBLOCK);
const { wait } = Atomics;
Atomics.wait = (...args) => { process.send('waits'); return wait(...args); };
`;

/** Prints the first bytes of a pipe that nobody closes. */
const COPIED = `
const { openSync, readSync, writeSync } = require('node:fs');
const [file, size] = process.argv.slice(1);
const [pipe, bytes] = [openSync(file), Buffer.alloc(4096)];
for (let left = Number(size); left > 0; ) {
  const read = readSync(pipe, bytes, 0, Math.min(left, bytes.length));
  writeSync(1, bytes, 0, read);
  left -= read;
}
`;

describe('the script is the one that the build has prepared', () => {
  test('whole, through a pipe that is full and does not block', needing('mkfifo'), async () => {
    const { cwd, env } = await emptyPlace();
    const file = join(cwd, 'pipe');
    await execa('mkfifo', [file]);
    const pipe = openSync(file, 'r+');
    writeSync(pipe, Buffer.alloc(FILLED_BYTES));
    const setup = join(cwd, 'setup.cjs');
    await writeFile(setup, NOT_BLOCKING);
    const child = spawn(process.execPath, ['--require', setup, bin, 'completion', 'fish'], {
      ...{ cwd, env: { ...env, PATH: process.env.PATH, STDOUT: file } },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const ended = once(child, 'exit');
    await Promise.race([once(child, 'message'), ended]);
    expect(child.exitCode).toBeNull();
    const script = await readFile(join(inject('layaway'), 'dist/completion/layaway.fish'));
    const size = String(FILLED_BYTES + script.length);
    const { stdout } = await execa(process.execPath, ['-e', COPIED, file, size], {
      encoding: 'buffer',
      stripFinalNewline: false,
    });
    expect(Buffer.from(stdout).subarray(FILLED_BYTES).equals(script)).toBe(true);
    expect(await ended).toEqual([0, null]);
    closeSync(pipe);
  });
});
