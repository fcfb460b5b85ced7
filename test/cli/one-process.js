/**
 * Runs the program for one command line after the other, each time with its modules loaded anew, as a process of its own
 * would. Place and words come as messages; the exit code and the output go back. At a terminal, there are no messages: the
 * command lines are an argument, and their exit codes are printed.
 */
import { createRequire } from 'node:module';

const PATIENCE_MS = 100_000;
const bin = process.argv[2];
const require = createRequire(bin);
const end = process.exit;
const emitters = [process, process.stdout, process.stderr];
process.on('disconnect', () => end());
process.on('message', (command) => void collected(command).then((ended) => process.send(ended)));
const kept = emitters.map((emitter) => new Set(listenersOf(emitter).map(([, listener]) => listener)));
if (!process.send) runAll(JSON.parse(process.argv[3])).then(() => end(0));

async function runAll(lines) {
  for (const words of lines) {
    const exitCode = await run(words);
    process.stdout.write(`\n${words.join(' ')}: ended with ${exitCode}\n`);
  }
}

async function collected({ cwd, env, words }) {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  const stdout = collect(process.stdout);
  const stderr = collect(process.stderr);
  const exitCode = await run(words);
  return { exitCode, stdout: stdout(), stderr: stderr() };
}

function run(words) {
  for (const file of Object.keys(require.cache)) delete require.cache[file];
  process.argv = [process.execPath, bin, ...words];
  process.exitCode = undefined;
  const waiting = setTimeout(() => {
    throw new Error('It has not ended.');
  }, PATIENCE_MS);
  return new Promise((resolve) => {
    process.exit = (code = process.exitCode ?? 0) => {
      // Code that still runs must not end the next command.
      process.exit = () => undefined;
      clearTimeout(waiting);
      process.emit('exit', code);
      for (const [index, emitter] of emitters.entries()) {
        for (const [name, listener] of listenersOf(emitter))
          if (!kept[index].has(listener)) emitter.removeListener(name, listener);
      }
      resolve(code);
    };
    require(bin);
  });
}

function listenersOf(emitter) {
  return emitter.eventNames().flatMap((name) => emitter.rawListeners(name).map((listener) => [name, listener]));
}

/** Keeps what is written to a stream from now on. */
function collect(stream) {
  let text = '';
  stream.write = (chunk, encoding, written) => {
    text += Buffer.from(chunk);
    process.nextTick((typeof encoding === 'function' ? encoding : written) ?? (() => undefined));
    return true;
  };
  return () => text;
}
