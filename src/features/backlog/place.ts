import type { Faults } from '../../domain/fault-points.ts';
import type { MessageRef } from '../../domain/task.ts';
import type { AccountId, AccountRef, ChannelId } from '../../domain/terms.ts';
import { Reschedule } from '../../jobs/runner.ts';
import type { Logger } from '../../logger.ts';
import type { Message } from '../../slack/blocks.ts';
import type { MessageTag, Messenger } from '../../slack/messenger.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { BacklogSummaries, BacklogSummary } from '../../store/backlog-summaries.ts';
import type { CallSlack } from '../../store/rate-limiter.ts';
import type { Timeouts } from '../../store/timeouts.ts';

/** Clocks of ours and Slack's may differ by this much when a post is looked for. */
const searchMarginMs = 60_000;

export interface PlaceDeps {
  readonly backlogSummaries: BacklogSummaries;
  readonly messengerOf: (workspace: string) => Messenger;
  readonly timeouts: Timeouts;
  readonly faults: Faults;
  readonly logger: Logger;
  readonly now: () => number;
}

/** What is kept of a channel's summary: where it stands or, as long as `ts` is empty, since when it may be on its way. */
export interface KeptSummary extends BacklogSummary {
  readonly begunAt?: number;
}

/** The tag on a summary's message, by which it is found in the channel's history. */
function summaryTag(account: AccountId, begunAt: number): MessageTag {
  return { type: 'proofdesk_backlog', payload: { account, begun: begunAt } };
}

/**
 * Where a channel's summary stands, or undefined when there is none. Where the end of an earlier post is not known, it
 * is looked for in the channel. Throws {@link Reschedule} while it may still arrive.
 */
export async function standingSummary(
  { backlogSummaries, messengerOf, timeouts, logger, now }: PlaceDeps,
  ref: AccountRef,
  channel: ChannelId,
  inTurn: CallSlack,
): Promise<MessageRef | undefined> {
  const kept: KeptSummary | undefined = await backlogSummaries.get(ref, channel);
  if (kept === undefined) return undefined;
  if (kept.ts !== '') return { channel, ts: kept.ts };
  const { begunAt = now() } = kept;
  const wait = begunAt + timeouts.lateArrivalMs - now();
  if (wait > 0) throw new Reschedule(wait);
  try {
    return await inTurn({ method: 'conversations.history', channel }, () =>
      messengerOf(ref.workspace).findTagged(
        channel,
        begunAt - searchMarginMs,
        summaryTag(ref.account, begunAt),
      ),
    );
  } catch (error) {
    if (!(error instanceof SlackError) || error.kind !== 'refused') throw error;
    // No right to read the channel: better a second summary than none.
    logger.warn({ channel, code: error.code }, 'cannot look for a summary in the channel, posting it');
    return undefined;
  }
}

/**
 * Posts a channel's summary so that there is exactly one: the attempt is written down first. Only for who holds the
 * summary's drawer. Throws the SlackFailure of a post that did not succeed.
 */
export async function postSummary(
  { backlogSummaries, messengerOf, faults, now }: PlaceDeps,
  ref: AccountRef,
  channel: ChannelId,
  { message, count }: { readonly message: Message; readonly count: number },
): Promise<void> {
  const begunAt = now();
  const begun: KeptSummary = { channel, ts: '', count: 0, begunAt };
  await backlogSummaries.put(ref, begun);
  await faults('post attempt stored, not posted');
  try {
    const tag = summaryTag(ref.account, begunAt);
    const { ts } = await messengerOf(ref.workspace).post(channel, message, { tag });
    await faults('posted, not recorded');
    await backlogSummaries.put(ref, { channel, ts, count });
    await faults('post recorded');
  } catch (error) {
    const certain = error instanceof SlackError && error.kind !== 'unreachable';
    if (certain) await backlogSummaries.remove(ref, channel);
    throw error;
  }
}
