import { existsSync } from 'node:fs';
import { chown, cp, lstat, mkdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { startUntilReady } from '../support/child.ts';

/** What an image of Node calls it. */
const NODE_UID = 1000;
const BASE_PATH = '/node:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Mounts a root and starts a program in it, with the rights of its user alone and nothing to write but the volume. The system
 * of this machine stands in for that of the base image.
 */
const START = `
  set -e
  root=$1; node=$2; volume=$3; place=$4; uid=$5; home=$6; shift 6
  mount --make-rprivate /
  mount --bind "$root" "$root"
  for folder in usr dev; do mount --rbind "/$folder" "$root/$folder"; done
  mount -t proc proc "$root/proc"
  mount --bind "$node" "$root/node/node"
  mount --bind "$volume" "$root$place"
  mount -o remount,bind,ro "$root"
  exec chroot "--userspec=$uid:$uid" "$root" /bin/sh -c 'cd "$0" && exec "$@"' "$home" "$@"
`;

export interface Image {
  /** Its tree, without a system. */
  readonly tree: string;
  /** The program of its Node. */
  readonly node: string;
  readonly env: Readonly<Record<string, string>>;
  /** A name that the base image has, or a number. */
  readonly user: string;
  readonly home: string;
  readonly volume: string;
  readonly hosts: readonly string[];
}

/** A container of an image with a volume of its own, as far as a kernel does that without a container engine. */
export async function openContainer({ tree, node, env, user, home, volume, hosts }: Image, folder: string) {
  const uid = user === 'node' ? NODE_UID : Number(user);
  if (!Number.isSafeInteger(uid)) throw new Error(`The base image has no user ${user}.`);
  const root = join(folder, 'root');
  await cp(tree, root, { recursive: true, verbatimSymlinks: true });
  for (const name of ['usr', 'dev', 'proc', 'node', 'etc', 'tmp']) await mkdir(join(root, name), { recursive: true });
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) {
    const isLink = existsSync(join('/', name)) && (await lstat(join('/', name))).isSymbolicLink();
    if (isLink) await symlink(await readlink(join('/', name)), join(root, name));
  }
  await writeFile(join(root, 'node/node'), '');
  await writeFile(
    join(root, 'etc/passwd'),
    `root:x:0:0::/root:/bin/sh\nnode:x:${NODE_UID}:${NODE_UID}::/home/node:/bin/sh\n`,
  );
  await writeFile(join(root, 'etc/hosts'), `127.0.0.1 localhost ${hostname()} ${hosts.join(' ')}\n`);
  // An engine gives a new volume the owner of the folder that it is mounted on.
  const kept = join(folder, basename(volume));
  await rm(join(root, volume), { recursive: true });
  for (const path of [join(root, volume), kept]) await mkdir(path, { mode: 0o700 });
  await chown(join(root, 'home/node'), NODE_UID, NODE_UID);
  await chown(kept, uid, uid);

  const path = (env.PATH ?? '$PATH').replace('$PATH', BASE_PATH);
  const inside = { ...env, PATH: path, HOME: user === 'node' ? '/home/node' : '/', HOSTNAME: hostname() };
  const own = { env: { ...inside, PATH: `${inside.PATH}:${process.env.PATH}` } };

  return {
    volume: kept,
    /** Starts a command as the first process of the container, until it has printed a line. */
    async start(command: readonly string[]) {
      const mounts = [root, node, kept, volume, String(uid), home];
      const words = ['--mount', '--pid', '--fork', 'sh', '-c', START, 'sh', ...mounts];
      const started = await startUntilReady('unshare', [...words, ...command], own);
      const children = await readFile(`/proc/${started.pid}/task/${started.pid}/children`, 'utf8');
      const pid = Number(children);
      /** The first process takes all others of the container with it; what started it cannot end it. */
      async function end(signal: NodeJS.Signals) {
        if (existsSync(`/proc/${pid}`)) process.kill(pid, signal);
        return await started.ended;
      }
      return {
        ...started,
        pid,
        ready: JSON.parse(started.ready),
        stop: () => end('SIGTERM'),
        kill: () => end('SIGKILL'),
        [Symbol.asyncDispose]: async () => void (await end('SIGKILL')),
        /** A further command in the container, as its user; `docker exec`. */
        async within(...words: readonly string[]) {
          const rights = ['--setuid', String(uid), '--setgid', String(uid)];
          const enter = ['--target', String(pid), '--mount', '--pid', '--root', '--wd', ...rights];
          const args = [...enter, '--', ...words];
          return await execa('nsenter', args, { ...own, extendEnv: false, reject: false, stdin: 'ignore' });
        },
      };
    },
  };
}
