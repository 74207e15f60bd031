import { onPath, run } from './processes.mjs';

/**
 * The package managers of Debian, Ubuntu and macOS: their program, the commands to run, and their names for the packages that the project needs. None
 * installs a browser on macOS, where people choose their own.
 */
const managers = [
  {
    program: 'apt-get',
    asRoot: true,
    before: ['update', '-qq'],
    install: ['install', '-y', '-qq', '--no-install-recommends'],
    names: { redis: 'redis-server', chromium: 'chromium', faketime: 'faketime' },
  },
  {
    program: 'brew',
    asRoot: false,
    install: ['install', '--quiet'],
    names: { redis: 'redis', faketime: 'libfaketime' },
  },
];

/**
 * Installs a system package (`redis`, `chromium` or `faketime`) without asking. Returns undefined on success, otherwise the
 * reason and the command to run manually.
 */
export async function installSystemPackage(what) {
  const manager = managers.find(({ program }) => onPath(program) !== undefined);
  const name = manager?.names[what];
  if (manager === undefined || name === undefined) {
    return `only apt-get and Homebrew are used here. Install ${what === 'redis' ? 'redis-server' : what} with this system's package manager.`;
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
    return `installing it needs administrator rights. Run: ${byHand}`;
  }
  console.log(`Installing ${name} with ${manager.program} …`);
  for (const args of commands) {
    const [command, ...rest] = [...prefix, manager.program, ...args];
    const { code, output } = await run(command, rest, {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', HOMEBREW_NO_AUTO_UPDATE: '1' },
    });
    // If one source's package lists cannot be updated, another source may still have the package.
    if (code !== 0 && args !== manager.before) {
      return `${manager.program} failed:\n${output}\nSolve that, or run: ${byHand}`;
    }
  }
  return undefined;
}

/** Returns the command's prefix: nothing, sudo if it needs no password, or undefined if installing is not allowed. */
async function rootPrefix(manager) {
  if (!manager.asRoot || process.getuid?.() === 0) {
    return [];
  }
  if (onPath('sudo') === undefined) {
    return undefined;
  }
  // On Debian, sudo drops the environment, and with it the setting that suppresses questions.
  const { code } = await run('sudo', ['-n', 'true']);
  return code === 0 ? ['sudo', '-n', 'env', 'DEBIAN_FRONTEND=noninteractive'] : undefined;
}
