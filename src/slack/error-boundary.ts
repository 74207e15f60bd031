import { randomBytes } from 'node:crypto';
import { UserError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { Message } from './blocks.ts';
import { notice } from './blocks.ts';
import type { Actor } from './feature.ts';
import { internalError, triggerExpired } from './message-modal.view.ts';
import { SlackError } from './slack-error.ts';

/** Dependencies of the error boundary. */
export interface ErrorBoundary {
  /** Returns the message to people about an error that they can fix; undefined for a bug. */
  readonly explain: (error: unknown) => Message | undefined;
  readonly logger: Logger;
  /** Called with all work in progress, so that a stop can wait for it. */
  readonly track: <T>(work: Promise<T>) => Promise<T>;
}

/** Runs a person's action. When it fails, answers them privately with what to do about it. */
export async function withErrorBoundary<T>(
  boundary: ErrorBoundary,
  actor: Actor,
  what: string,
  run: () => Promise<T>,
): Promise<T | undefined> {
  return reportFailure(boundary, what, run, async (message) => {
    await boundary.track(actor.answer(message)).catch((failure: unknown) => {
      boundary.logger.warn({ err: failure, what }, 'error answer not sent');
    });
  });
}

/** Runs something. When it fails, passes the message to people to `report`. A bug is logged under an id. */
export async function reportFailure<T>(
  { track, explain, logger }: ErrorBoundary,
  what: string,
  run: () => Promise<T>,
  report: (message: Message) => Promise<void> | void,
): Promise<T | undefined> {
  logger.debug({ what }, 'interaction received');
  try {
    return await track(run());
  } catch (error) {
    // The same click was delivered twice: the other delivery has opened the modal.
    if (isRefusedAs(error, 'exchanged_trigger_id')) return undefined;
    await report(messageFor(error) ?? explain(error) ?? logged(error));
    return undefined;
  }

  function logged(error: unknown): Message {
    const id = randomBytes(4).toString('hex');
    logger.error({ err: error, id, what }, 'interaction failed');
    return notice(internalError(id));
  }

  function messageFor(error: unknown): Message | undefined {
    if (error instanceof UserError) return notice(error.message);
    if (!isRefusedAs(error, 'expired_trigger_id')) return undefined;
    logger.info({ what }, 'trigger expired');
    return notice(triggerExpired);
  }
}

function isRefusedAs(error: unknown, code: string): boolean {
  return error instanceof SlackError && error.code === code;
}
