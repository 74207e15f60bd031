import { ConfigError, readConfig } from './config.ts';
import { type Finding, ok, report, wrong } from './doctor/finding.ts';
import { checkGivenUp } from './doctor/given-up.ts';
import { checkMarketplace } from './doctor/marketplace.ts';
import { checkRedis } from './doctor/redis.ts';
import { checkSlack } from './doctor/slack.ts';
import { createLogger } from './logger.ts';

/** Checks the environment piece by piece and says what to do about each failure. Exit code 0: nothing is wrong. */
async function examine(): Promise<Finding[]> {
  let config: ReturnType<typeof readConfig>;
  try {
    config = readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map((fault) => wrong('Settings', fault));
  }
  const mode = config.slack.transport.mode === 'socket' ? 'Socket Mode' : `HTTP on port ${config.port}`;
  const { findings, workspace } = await checkSlack(config, createLogger('silent', []));
  const wish = process.argv.includes('--retry-failed')
    ? 'retry'
    : process.argv.includes('--discard-failed')
      ? 'discard'
      : 'list';
  const [redis, marketplace, givenUp] = await Promise.all([
    checkRedis(config, workspace),
    checkMarketplace(config.marketplace),
    checkGivenUp(config, wish),
  ]);
  return [ok('Settings', `complete, ${mode}.`), ...findings, ...redis, ...marketplace, ...givenUp];
}

const findings = await examine();
process.stdout.write(`${report(findings)}\n`);
process.exitCode = findings.some(({ kind }) => kind === 'wrong') ? 1 : 0;
