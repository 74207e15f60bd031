import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkPorts, processGroup, untilAnswers } from './lib/group.mjs';
import { setUp } from './lib/needs.mjs';
import { Failure, lastLines, main, root, run } from './lib/processes.mjs';

const startWithinMs = 60_000;
/** Longer than the bot gives itself to finish what is in flight. */
const stopWithinMs = 15_000;
/** One Ctrl-C arrives twice: from the terminal, and passed on by npm. */
const sameKeyMs = 1000;

await main(async () => {
  const port = readPort();
  const [workspace, marketplace, bot] = [port, port + 1, port + 2];
  await setUp();
  await checkPorts([workspace, marketplace, bot]);

  // Whatever happened before is gone: the sandboxes start afresh too.
  const folder = join(root, 'data', port === 4000 ? 'demo' : `demo-${port}`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });

  let died;
  const death = new Promise((_, reject) => {
    died = reject;
  });
  death.catch(() => {});
  const group = processGroup((problem) => died(problem));
  process.on('exit', group.kill);
  const stopped = untilStopped();

  const starting = async () => {
    console.log('Starting the sandboxes …');
    group.start('sandbox marketplace', {
      script: 'src/sandbox/marketplace/main.ts',
      args: ['--port', String(marketplace), '--workers'],
      log: join(folder, 'marketplace.log'),
    });
    await buildPage();
    group.start('sandbox workspace', {
      script: 'src/sandbox/slack/main.ts',
      args: ['--port', String(workspace)],
      log: join(folder, 'workspace.log'),
    });
    await untilAnswers(
      'sandbox marketplace',
      `http://localhost:${marketplace}/_sandbox/state`,
      startWithinMs,
    );
    await untilAnswers('sandbox workspace', `http://localhost:${workspace}/`, startWithinMs);
    console.log('Starting the bot …');
    group.start('bot', {
      script: 'src/main.ts',
      env: botEnvironment({ workspace, marketplace, bot, dataDir: folder }),
      log: join(folder, 'bot.log'),
    });
    await untilAnswers('bot', `http://localhost:${bot}/readyz`, startWithinMs);
    console.log(
      `ready  page: http://localhost:${workspace}/  marketplace: http://localhost:${marketplace}/  ` +
        `bot: http://localhost:${bot}/readyz  logs: ${folder}`,
    );
    console.log('Open the page in a browser. Ctrl-C stops all of it.');
  };

  try {
    await Promise.race([starting().then(() => stopped), stopped, death]);
    console.log('Stopping …');
  } finally {
    await group.stop(stopWithinMs);
  }
});
// What was still waiting for something to get ready waits for nothing now.
process.exit();

function readPort() {
  const usage =
    'Use "npm run demo" or "npm run demo -- --port N": the demo takes port N and the two after it.';
  let text;
  try {
    text = parseArgs({ options: { port: { type: 'string', default: '4000' } } }).values.port;
  } catch (error) {
    throw new Failure(`${error.message}\n${usage}`);
  }
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_533) {
    throw new Failure(`"${text}" is not a port from 1 to 65533. ${usage}`);
  }
  return port;
}

/** Resolves when somebody wants the demo to end; insisting ends it at once. */
function untilStopped() {
  return new Promise((done) => {
    let since;
    const wanted = () => {
      since ??= Date.now();
      done();
      if (Date.now() - since > sameKeyMs) {
        process.exit(130);
      }
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.on(signal, wanted);
    }
    // Whoever ends npm alone means all of it: npm cannot always tell us.
    const startedBy = process.ppid;
    setInterval(() => {
      if (process.ppid !== startedBy && process.env.npm_lifecycle_event !== undefined) {
        done();
      }
    }, 500).unref();
  });
}

async function buildPage() {
  const { code, output } = await run(process.execPath, ['--import', 'tsx', 'scripts/build-page.ts']);
  if (code !== 0) {
    throw new Failure(`The page could not be built:\n${lastLines(output, 20)}`);
  }
}

/** What the bot is configured by, and nothing of it that this shell happens to have set. */
function botEnvironment({ workspace, marketplace, bot, dataDir }) {
  const own = /^(SLACK_|MARKETPLACE_|PROOFDESK_|REDIS_URL$|REVIEW_CHANNEL$|DATA_DIR$|POLL_SECONDS$|PORT$)/;
  const inherited = Object.entries(process.env).filter(([name]) => !own.test(name));
  return {
    ...Object.fromEntries(inherited),
    SLACK_BOT_TOKEN: 'xoxb-sandbox',
    SLACK_APP_TOKEN: 'xapp-sandbox',
    SLACK_API_URL: `http://localhost:${workspace}/api/`,
    MARKETPLACE_BASE_URL: `http://localhost:${marketplace}`,
    MARKETPLACE_API_KEY: 'employer-demo-key',
    REVIEW_CHANNEL: 'C01REVIEW',
    PORT: String(bot),
    POLL_SECONDS: '5',
    DATA_DIR: dataDir,
  };
}
