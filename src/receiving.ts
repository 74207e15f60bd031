import type { Config } from './config.ts';
import { createRequestListener, type HealthCheck, listen } from './http-server.ts';
import type { Logger } from './logger.ts';
import { createHttpIntake } from './slack/http-intake.ts';
import type { Intake, IntakeListener, IntakeSettings } from './slack/intake.ts';
import { createThreadIntake } from './slack/intake-in-thread.ts';
import { createSlackReceiver, type SlackReceiver } from './slack/receiver.ts';
import { createSocketIntake } from './slack/socket-intake.ts';

type ReceivingConfig = Pick<Config, 'slack' | 'port' | 'host' | 'proxy'>;

export interface Receiving {
  readonly receiver: SlackReceiver;
  /** Opens the process's port, and resolves to its number. Throws UserError when it cannot be opened. */
  openPort(): Promise<number>;
  /** Stops receiving from Slack, and closes the port. */
  close(): Promise<void>;
}

/**
 * Creates the receiver of Slack's messages, over a socket or by HTTP, and of health checks on the process's port. Its thread
 * begins to load at once, in parallel with the rest of a start.
 * @param options.inThread whether it receives from Slack, and acks, in a separate thread
 */
export function createReceiving(
  config: ReceivingConfig,
  options: { readonly health: HealthCheck; readonly inThread: boolean; readonly logger: Logger },
): Receiving {
  const { health, inThread, logger } = options;
  const settings = intakeSettings(config);
  const create = inThread ? createThreadIntake : createIntakeHere;
  const receiver = createSlackReceiver(
    (listener) => create({ ...settings, log: logger }, { ...listener, health }),
    logger,
  );
  let server: Awaited<ReturnType<typeof listen>> | undefined;
  return {
    receiver,
    async openPort() {
      if (receiver.open) return receiver.open();
      // In Socket Mode, only health checks arrive there.
      server = await listen(config, createRequestListener({ health, logger }));
      return server.port;
    },
    async close() {
      await Promise.all([receiver.stop(), server?.close()]);
    },
  };
}

/** Creates an intake in this thread. */
function createIntakeHere(
  options: IntakeSettings & { readonly log: Logger },
  listener: IntakeListener,
): Intake {
  return options.mode === 'http'
    ? createHttpIntake(options, listener)
    : createSocketIntake(options, listener);
}

/** Returns how Slack reaches the bot, from the configuration. */
function intakeSettings({ slack, port, host, proxy }: ReceivingConfig): IntakeSettings {
  const { transport, apiUrl } = slack;
  return transport.mode === 'socket'
    ? { ...transport, apiUrl, proxy }
    : { ...transport, port, ...(host === undefined ? {} : { host }) };
}
