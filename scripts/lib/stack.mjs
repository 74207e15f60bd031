import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkPorts, isReady, processGroup } from './group.mjs';
import { setUp } from './needs.mjs';
import { killPrivateRedis, serveProcessControl } from './process-control.mjs';
import { Failure, root } from './processes.mjs';

/** The maximum time between the two signals of one Ctrl-C: the terminal's, and the one forwarded by npm. */
const sameKeyMs = 1000;

/**
 * Runs the stack that `npm run demo` and `npm run dev` share: the two sandboxes and a bot connected to them, with logs and
 * data under `data/<command>`. Stops everything on Ctrl-C.
 *
 * @param {string} command the npm script
 * @param {{ ports: string[], flags?: string[], onDeath?: (problem: Failure) => void }} options
 *   `ports`: the names of the ports, counted up from `--port`; `flags`: further command-line options; `onDeath`: called if
 *   a process exits unexpectedly, which otherwise stops everything
 * @param {(stack: ReturnType<typeof createStack>) => Promise<void>} start starts the processes
 */
export async function runStack(command, { ports: names, flags = [], onDeath }, start) {
  const { port, ...chosen } = readArguments(command, names.length, flags);
  const ports = Object.fromEntries(names.map((name, index) => [name, port + index]));
  // The workspace also serves the page, unless the page has its own server.
  ports.workspace ??= ports.page;
  await setUp();
  await checkPorts(command, Object.values(ports));

  const folder = join(root, 'data', port === 4000 ? command : `${command}-${port}`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });

  const signal = stopSignal();
  const stopped = once(signal, 'abort');
  let stack;
  const death = new Promise((_, reject) => {
    stack = createStack({ ports, folder, signal, flags: chosen, onDeath: onDeath ?? reject });
  });
  process.on('exit', stack.kill);
  try {
    await Promise.race([start(stack).then(() => stopped), stopped, death]);
    console.log('Stopping …');
  } finally {
    await stack.stop();
  }
}

function createStack({ ports, folder, signal, flags, onDeath }) {
  const group = processGroup(onDeath);
  const dataDir = join(folder, 'bot');
  const running = {};

  /** Stops a process if it runs. */
  async function stop(name) {
    if (running[name] !== undefined) {
      await group.stop(running[name]);
    }
  }

  /** Starts or restarts a process. Returns whether it became ready; throws Failure if that takes too long. */
  async function start(name, url, options) {
    await stop(name);
    running[name] = group.start(name, { ...options, log: join(folder, `${name.split(' ').at(-1)}.log`) });
    return isReady(running[name], url);
  }

  const startBot = () =>
    start('bot', `http://localhost:${ports.bot}/readyz`, {
      script: 'src/main.ts',
      nodeArgs: flags.inspect ? ['--inspect'] : [],
      env: botEnvironment(ports, dataDir),
    });

  return {
    signal,
    /** Returns the line with all addresses. */
    readyLine: () =>
      `ready  page: http://localhost:${ports.page}/  marketplace: http://localhost:${ports.marketplace}/  ` +
      `bot: http://localhost:${ports.bot}/readyz  metrics: http://localhost:${ports.bot}/metrics  logs: ${folder}`,
    startMarketplace: () =>
      start('sandbox marketplace', `http://localhost:${ports.marketplace}/_sandbox/state`, {
        script: 'sandbox/marketplace/src/main.ts',
        args: ['--port', String(ports.marketplace), '--workers'],
      }),
    startWorkspace: () =>
      start('sandbox workspace', `http://localhost:${ports.workspace}/_sandbox/state`, {
        script: 'sandbox/slack/src/main.ts',
        // An owner, a reviewer and a guest, so that people can try what each may do.
        args: [
          ...['--port', String(ports.workspace), '--workspace', 'scripts/demo-workspace.json'],
          ...['--panel', `http://localhost:${ports.marketplace}/_sandbox/world`],
          ...(ports.control === undefined ? [] : ['--processes', `http://localhost:${ports.control}`]),
        ],
      }),
    /** Serves the page from its source files. */
    startPage: () =>
      start('page', `http://localhost:${ports.page}/`, {
        script: 'sandbox/slack/src/page/serve.ts',
        args: ['--port', String(ports.page), '--workspace', `http://localhost:${ports.workspace}`],
      }),
    startBot,
    /** Serves the control with which the page kills and starts the bot, and kills its Redis. */
    serveControl: () =>
      serveProcessControl({
        port: ports.control,
        pages: [`http://localhost:${ports.page}`, `http://127.0.0.1:${ports.page}`],
        processes: {
          bot: {
            isRunning: () => running.bot !== undefined && group.isRunning(running.bot),
            acts: {
              kill: () => group.kill(running.bot),
              start: async () => {
                if (!(await startBot())) throw new Failure('The bot did not start.');
              },
            },
          },
          redis: { acts: { kill: () => killPrivateRedis(dataDir) } },
        },
      }),
    /** Stops the bot and removes its data, which is useless once the sandboxes start from their seeds again. */
    async removeBot() {
      await stop('bot');
      // Its redis-server may still be ending, and write to the folder that is being removed.
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
    stop: group.stopAll,
    kill: group.killAll,
  };
}

function readArguments(command, count, flags) {
  const usage =
    `Usage: npm run ${command} -- [--port N]${flags.map((flag) => ` [--${flag}]`).join('')}\n` +
    `It uses port N (4000 unless you choose another) and the ${count - 1} after it.`;
  let values;
  try {
    values = parseArgs({
      options: {
        port: { type: 'string', default: '4000' },
        ...Object.fromEntries(flags.map((flag) => [flag, { type: 'boolean', default: false }])),
      },
    }).values;
  } catch (error) {
    throw new Failure(`${error.message}\n${usage}`);
  }
  const port = Number(values.port);
  const highest = 65_536 - count;
  if (!Number.isInteger(port) || port < 1 || port > highest) {
    throw new Failure(`"${values.port}" is not a port from 1 to ${highest}.\n${usage}`);
  }
  return { ...values, port };
}

/** Returns a signal that is aborted when the process is asked to stop. A second request ends the process immediately. */
function stopSignal() {
  const controller = new AbortController();
  let since;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(name, () => {
      since ??= Date.now();
      controller.abort();
      if (Date.now() - since > sameKeyMs) {
        process.exit(130);
      }
    });
  }
  // npm cannot always forward a signal, so this process also stops once npm is gone.
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent && process.env.npm_lifecycle_event !== undefined) {
      controller.abort();
    }
  }, 500).unref();
  return controller.signal;
}

/** Returns the environment of a bot connected to the sandboxes, without the bot's settings from this shell. */
function botEnvironment(ports, dataDir) {
  const setting =
    /^(ACCOUNT_OWNERS$|SLACK_|MARKETPLACE_|PROOFDESK_|REDIS_URL$|REVIEW_CHANNEL$|INBOX_CHANNEL$|DATA_DIR$|POLL_SECONDS$|METRICS$|PORT$|PUBLIC_URL$|DESK_EMBED$|HTTPS?_PROXY$|https?_proxy$)/;
  const inherited = Object.entries(process.env).filter(([name]) => !setting.test(name));
  return {
    ...Object.fromEntries(inherited),
    SLACK_BOT_TOKEN: 'xoxb-sandbox',
    SLACK_APP_TOKEN: 'xapp-sandbox',
    SLACK_API_URL: `http://localhost:${ports.workspace}/api/`,
    MARKETPLACE_BASE_URL: `http://localhost:${ports.marketplace}`,
    MARKETPLACE_API_KEY: 'employer-demo-key',
    ACCOUNT_OWNERS: 'U01ANN',
    REVIEW_CHANNEL: 'C01REVIEW',
    INBOX_CHANNEL: 'C02INBOX',
    PORT: String(ports.bot),
    POLL_SECONDS: '5',
    METRICS: 'on',
    PUBLIC_URL: `http://localhost:${ports.bot}`,
    DATA_DIR: dataDir,
  };
}
