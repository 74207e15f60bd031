import { EnvHttpProxyAgent, setGlobalDispatcher } from 'undici';
import { type Config, ConfigError, readConfig } from './app/config.ts';
import {
  checkMarketplace,
  checkPictures,
  checkPrivateRedis,
  checkRedis,
  checkSlack,
  type Finding,
  ok,
  wrong,
} from './app/doctor-checks.ts';
import type { WorkspaceId } from './domain/terms.ts';
import { messageOf } from './errors.ts';

const marks: Readonly<Record<Finding['kind'], string>> = { ok: 'ok   ', wrong: 'WRONG', note: 'note ' };

/** Returns one line per finding, and a summary. */
function report(findings: readonly Finding[]): string {
  const wrong = findings.filter(({ kind }) => kind === 'wrong').length;
  const lines = findings.map(({ kind, subject, text }) => `${marks[kind]}  ${subject}: ${text}`);
  const summary =
    wrong === 0
      ? 'Everything that could be checked is fine. Start with: npm start'
      : `${wrong === 1 ? 'One thing is' : `${wrong} things are`} wrong. Fix the lines marked WRONG, then run this again.`;
  return [...lines, summary].join('\n');
}

/** Returns the result of a check; its failure becomes a line, so that the others are shown. */
async function checked(subject: string, check: () => Promise<Finding[]>): Promise<Finding[]> {
  return check().catch((error: unknown) => [wrong(subject, `it could not be checked: ${messageOf(error)}`)]);
}

/** Checks everything that the environment configures, and returns how to fix each failure. */
async function runChecks(): Promise<Finding[]> {
  let config: Config;
  try {
    config = readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map((fault) => wrong('Settings', fault));
  }
  if (config.proxy) setGlobalDispatcher(new EnvHttpProxyAgent(config.proxy));
  const mode = config.slack.transport.mode === 'socket' ? 'Socket Mode' : `HTTP on port ${config.port}`;
  let workspace: WorkspaceId | undefined;
  const slack = await checked('Slack', async () => {
    const found = await checkSlack(config);
    workspace = found.workspace;
    return found.findings;
  });
  const [redis, marketplace] = await Promise.all([
    checked('Redis', () =>
      config.redisUrl ? checkRedis(config.redisUrl, config, workspace) : checkPrivateRedis(config),
    ),
    checked('Marketplace', () => checkMarketplace(config.marketplace)),
  ]);
  return [ok('Settings', `complete, ${mode}.`), ...slack, ...redis, ...marketplace, checkPictures()];
}

const findings = await runChecks();
process.stdout.write(`${report(findings)}\n`);
process.exitCode = findings.some(({ kind }) => kind === 'wrong') ? 1 : 0;
