import type { App, Receiver, ReceiverEvent } from '@slack/bolt';
import type { Arrival, Intake, IntakeListener } from './intake.ts';
import { NotStored } from './not-stored.ts';
import type { Log } from './slack-logger.ts';

/** Bolt's receiver of an intake's arrivals, with the reason why nothing can be received right now, as a sentence. */
export type SlackReceiver = Receiver & Pick<Intake, 'open'> & { problem(): string | undefined };

/** Creates the receiver that passes an intake's arrivals to Bolt. */
export function createSlackReceiver(
  createIntake: (listener: Omit<IntakeListener, 'health'>) => Intake,
  log: Pick<Log, 'error'>,
): SlackReceiver {
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
      const isStored = !(error instanceof NotStored);
      if (isStored) log.error({ err: error }, 'what Slack sent could not be processed');
      if (mayAck) intake.fail(id, isStored ? 'not processed' : 'not stored');
    }
  }

  return {
    ...(intake.open ? { open: intake.open } : {}),
    init(bolt) {
      app = bolt;
    },
    start: () => intake.start(),
    stop: () => intake.stop(),
    problem: () => problem,
  };
}
