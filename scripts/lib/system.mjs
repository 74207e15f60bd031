import { onPath, run } from './processes.mjs';

/**
 * How each system installs its packages: the manager's program, what to run, and its names for what we need. macOS
 * gets no browser from here: one is a person's own choice there.
 */
const managers = [
  {
    program: 'apt-get',
    asRoot: true,
    before: ['update', '-qq'],
    install: ['install', '-y', '-qq', '--no-install-recommends'],
    names: { redis: 'redis-server', chromium: 'chromium' },
  },
  { program: 'brew', asRoot: false, install: ['install', '--quiet'], names: { redis: 'redis' } },
  {
    program: 'dnf',
    asRoot: true,
    install: ['install', '-y', '-q'],
    names: { redis: 'redis', chromium: 'chromium' },
  },
  {
    program: 'apk',
    asRoot: true,
    install: ['add', '--quiet'],
    names: { redis: 'redis', chromium: 'chromium' },
  },
  {
    program: 'pacman',
    asRoot: true,
    install: ['-Sy', '--noconfirm', '--needed'],
    names: { redis: 'redis', chromium: 'chromium' },
  },
];

/**
 * Installs a system package (`redis` or `chromium`) without asking anything.
 * Answers undefined when it was installed, otherwise why not, with what to run.
 */
export async function installSystemPackage(what) {
  const manager = managers.find(({ program }) => onPath(program) !== undefined);
  const name = manager?.names[what];
  if (manager === undefined || name === undefined) {
    return `no package manager here offers it by a known name. Install ${what === 'redis' ? 'redis-server' : what} by hand.`;
  }
  const prefix = await rootPrefix(manager);
  const commands = [manager.before, [...manager.install, name]].filter(Boolean);
  const byHand = commands
    .map((args) => [
      ...(manager.asRoot ? ['sudo'] : []),
      manager.program,
      ...args.filter((arg) => !/^-q+$|^--quiet$/.test(arg)),
    ])
    .map((words) => words.join(' '))
    .join(' && ');
  if (prefix === undefined) {
    return `installing it needs an administrator. Run: ${byHand}`;
  }
  console.log(`Installing ${name} with ${manager.program} …`);
  for (const args of commands) {
    const [command, ...rest] = [...prefix, manager.program, ...args];
    const { code, output } = await run(command, rest, {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', HOMEBREW_NO_AUTO_UPDATE: '1' },
    });
    // A refresh of the lists that fails for one source must not stop an install that another can serve.
    if (code !== 0 && args !== manager.before) {
      return `${manager.program} failed:\n${output}\nMend that, or run by hand: ${byHand}`;
    }
  }
  return undefined;
}

/** What to put before the command: nothing, sudo when it asks no password, or undefined when not allowed. */
async function rootPrefix(manager) {
  if (!manager.asRoot || process.getuid?.() === 0) {
    return [];
  }
  if (onPath('sudo') === undefined) {
    return undefined;
  }
  // Debian's sudo drops the environment, and with it the wish not to be asked.
  const { code } = await run('sudo', ['-n', 'true']);
  return code === 0 ? ['sudo', '-n', 'env', 'DEBIAN_FRONTEND=noninteractive'] : undefined;
}
