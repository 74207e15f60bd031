import { EnvHttpProxyAgent, setGlobalDispatcher } from 'undici';
import { startApp } from './app/compose.ts';
import { ConfigError, readConfig, secretsOf } from './app/config.ts';
import { createUnexpectedErrors } from './app/unexpected-errors.ts';
import { messageOf, UserError } from './errors.ts';
import { createLogger } from './logger.ts';

/** How long a start may take to notice that it is to end (ms). After that, the process ends: nothing is under way yet. */
const startTimeoutMs = 2_000;

/** EX_CONFIG of sysexits.h. */
const configurationError = 78;

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const logger = createLogger(config.logLevel, secretsOf(config, process.env.PROOFDESK_ENCRYPTION_KEYS));
  if (config.proxy) setGlobalDispatcher(new EnvHttpProxyAgent(config.proxy));

  const unexpected = createUnexpectedErrors(logger);
  let isStarted = false;
  process.on('unhandledRejection', (error) => unexpected.record('unhandledRejection', error));
  // The process's state is in Redis and read anew for each job, so one interrupted job is no reason to end the others
  // (docs/adr/0005-bolt-receives-the-messenger-speaks.md). A failed start does not continue.
  process.on('uncaughtException', (error) => {
    if (isStarted) return unexpected.record('uncaughtException', error);
    logger.fatal({ err: error }, 'uncaught exception, exiting');
    process.exit(1);
  });

  const starting = new AbortController();
  const app = startApp(config, { logger, signal: starting.signal, unexpectedErrors: unexpected });
  const stop = (signal: NodeJS.Signals) => {
    if (starting.signal.aborted) return;
    starting.abort();
    logger.info({ signal }, 'stopping');
    setTimeout(() => isStarted || process.exit(0), startTimeoutMs).unref();
    app
      .then(
        (running) => running.stop(),
        () => undefined,
      )
      .then(
        () => process.exit(0),
        (error: unknown) => {
          logger.error({ err: error }, 'stop failed');
          process.exit(1);
        },
      );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  await app.catch((error: unknown) => {
    if (!starting.signal.aborted) throw error;
  });
  isStarted = true;
}

main().catch((error: unknown) => {
  const isOurs = error instanceof ConfigError || error instanceof UserError;
  process.stderr.write(isOurs ? `${messageOf(error)}\n` : `The bot could not start: ${messageOf(error)}\n`);
  process.exit(isOurs ? configurationError : 1);
});
