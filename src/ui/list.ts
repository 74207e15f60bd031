import type { Capability } from '../domain/permissions.ts';
import type { AccountId, AccountRef } from '../domain/terms.ts';
import { UserError } from '../errors.ts';
import { isCallFailure } from '../marketplace/index.ts';
import type { Message } from '../slack/blocks.ts';
import type { Click } from '../slack/feature.ts';
import { notice } from '../slack/notice.ts';
import type { BlockStateCodec } from './list.view.ts';
import { listUnavailable } from './list.view.ts';

/**
 * Returns the clicked list and its account.
 * @param also an additional required right
 * @throws UserError when the block carries no such list; NotConnected or Forbidden when the person may not
 */
export async function clickedList<List extends { readonly account: AccountId }>(
  click: Click,
  codec: Pick<BlockStateCodec<List>, 'decode'>,
  also?: Capability,
): Promise<{ readonly ref: AccountRef; readonly list: List }> {
  const list = codec.decode(click.blockId);
  if (list === undefined) {
    throw new UserError('This list is out of date. Open it again with its command.');
  }
  return { ref: await click.authorize({ account: list.account, also }), list };
}

/**
 * Resolves to a list with an action's outcome, or to the outcome alone if the list cannot be loaded, so that the outcome
 * is always reported.
 * @param command the command that opens the list
 */
export async function listOrOutcome(
  list: Promise<Message>,
  outcome: string,
  command: string,
): Promise<Message> {
  try {
    return await list;
  } catch (error) {
    if (!isCallFailure(error) && !(error instanceof UserError)) throw error;
    return notice(listUnavailable(outcome, command));
  }
}
