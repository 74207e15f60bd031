import { randomUUID } from 'node:crypto';
import { Forbidden } from '../../domain/permissions.ts';
import { NotConnected, UserError } from '../../errors.ts';
import { FileTooLarge } from '../../kit/file-transfer.ts';
import type { Logger } from '../../logger.ts';
import { isCallFailure } from '../../marketplace/index.ts';
import type { Message } from '../../slack/blocks.ts';
import { internalError } from '../../slack/message-modal.view.ts';
import { SlackError } from '../../slack/slack-error.ts';
import { isRedisUnavailable } from '../../store/redis.ts';
import { maxDeskFileBytes } from './proofs.ts';

/** A request that is refused: the status, and the sentence for whoever made it. */
export class DeskRefusal extends Error {
  override readonly name = 'DeskRefusal';
  readonly status: number;
  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}

export const sessionEnded = 'Your session has ended. Press *Open the desk* in Slack to come back.';

interface Refusal {
  readonly status: number;
  /** In mrkdwn. */
  readonly text: string;
}

/** Returns how a failed request is answered. @param explain returns the message about an error that people can fix */
export function refusalOf(
  error: unknown,
  what: string,
  {
    explain,
    log,
  }: { readonly explain: (error: unknown) => Message | undefined; readonly log: Pick<Logger, 'error'> },
): Refusal {
  if (error instanceof DeskRefusal) return { status: error.status, text: error.message };
  if (error instanceof UserError) return { status: 409, text: error.message };
  if (error instanceof FileTooLarge)
    return {
      status: 413,
      text: `This file is over the limit of ${maxDeskFileBytes / 1_000_000} MB. Open it on the website.`,
    };
  const said = explain(error);
  if (said !== undefined) {
    const text = said.blocks
      .flatMap((block) => (block.type === 'section' ? (block.text?.text ?? []) : []))
      .join(' ');
    if (error instanceof Forbidden || error instanceof NotConnected) return { status: 403, text };
    return { status: 503, text };
  }
  if (isRedisUnavailable(error) || isCallFailure(error) || error instanceof SlackError)
    return { status: 503, text: 'This is not available right now. Try again in a minute.' };
  const id = randomUUID();
  log.error({ err: error, what, id }, 'a request of the desk failed');
  return { status: 500, text: internalError(id) };
}
