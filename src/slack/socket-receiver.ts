import type { App, Receiver, ReceiverEvent } from '@slack/bolt';
import type { Log } from './slack-logger.ts';
import type { Arrival, Intake, IntakeListener } from './socket-intake.ts';

/** Bolt's receiver of what comes over a socket, with why nothing can be received right now, as a sentence. */
export type SocketReceiver = Receiver & { problem(): string | undefined };

/** Creates the receiver that has Bolt process what an intake receives. */
export function createSocketReceiver(
  createIntake: (listener: IntakeListener) => Intake,
  log: Pick<Log, 'error'>,
): SocketReceiver {
  let app: App | undefined;
  let problem: string | undefined;
  const intake = createIntake({
    arrived: (arrival) => void process(arrival),
    problem(now) {
      problem = now;
    },
  });

  async function process({ id, body, retryNum, retryReason, isAcked }: Arrival): Promise<void> {
    let mayAck = !isAcked;
    const event: ReceiverEvent = {
      body,
      ack: async (answer) => {
        if (mayAck) intake.ack(id, answer);
        mayAck = false;
      },
      ...(retryNum === undefined ? {} : { retryNum }),
      ...(retryReason === undefined ? {} : { retryReason }),
    };
    try {
      await app?.processEvent(event);
    } catch (error) {
      log.error({ err: error }, 'what Slack sent could not be processed');
    }
  }

  return {
    init(bolt) {
      app = bolt;
    },
    start: () => intake.start(),
    stop: () => intake.stop(),
    problem: () => problem,
  };
}
