import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkNode, ensurePackages } from './lib/needs.mjs';
import { Failure, main, root, run } from './lib/processes.mjs';

// What Slack's CLI runs for .slack/hooks.json. "slack run" gets the manifest, installs the app and starts the bot; the CLI
// reads .env itself.

const hooks = { 'get-manifest': printManifest, start: startBot };

await main(async () => {
  const hook = hooks[process.argv[2]];
  if (hook === undefined) {
    throw new Failure(`Usage: node scripts/slack-hook.mjs ${Object.keys(hooks).join('|')}`);
  }
  return hook();
});

/** Prints manifest.yml as JSON, and nothing else. */
async function printManifest() {
  if (!existsSync(join(root, 'node_modules'))) {
    checkNode();
    await ensurePackages();
  }
  const { parse } = await import('yaml');
  console.log(JSON.stringify(parse(readFileSync(join(root, 'manifest.yml'), 'utf8'))));
}

/** Runs the bot with the CLI's tokens until it ends, as "npm start" does. Settings take precedence over them. */
async function startBot() {
  const { SLACK_CLI_XOXB, SLACK_CLI_XAPP, ...env } = process.env;
  for (const [name, token] of [
    ['SLACK_BOT_TOKEN', SLACK_CLI_XOXB],
    ['SLACK_APP_TOKEN', SLACK_CLI_XAPP],
  ]) {
    if (token && !env[name] && !env[`${name}_FILE`]) {
      env[name] = token;
    }
  }
  const prepared = await run(process.execPath, [join(root, 'scripts/prestart.mjs')], { show: true });
  if (prepared.code !== 0) {
    return prepared.code;
  }
  const bot = spawn(process.execPath, ['--enable-source-maps', join(root, 'dist/main.js')], {
    cwd: root,
    env,
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => bot.kill(signal));
  }
  const [code] = await once(bot, 'close');
  return code ?? 1;
}
