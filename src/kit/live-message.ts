import type { Mirrored } from '../domain/live-message.ts';
import type { AccountRef, ChannelId } from '../domain/terms.ts';
import { NotConnected } from '../errors.ts';
import { Reschedule } from '../jobs/runner.ts';
import type { Message } from '../slack/blocks.ts';
import { withoutRefusedPictures } from '../slack/refused-pictures.ts';
import { isChannelError, mayArriveLate, SlackError } from '../slack/slack-error.ts';
import { type CallSlack, type CallSlackOptions, postMethod, updateMethod } from '../store/limits.ts';
import type { LiveMessageKind, RenderStep } from './live-message-kind.ts';
import type { Modules } from './modules.ts';

/** How long a job waits while another process renders the same message (ms). */
const otherProcessMs = 1_000;

/** A render lease acquired or renewed within this time (ms) is not renewed again. */
const longestUncheckedMs = 250;

/** How long before its attempt a post is searched for (ms): Slack's clock is known to about a second, and may be set. */
const searchMarginMs = 60_000;

/** Revision of a message found in the channel; what it shows is unknown, so it is rendered again. */
const unknownRevision = 0;

/** Returns how a job asks about a channel: it waits while calls to Slack pause. */
const infoBy =
  (callSlack: CallSlack) =>
  <T>(run: () => Promise<T>): Promise<T> =>
    callSlack({ method: 'conversations.info' }, run);

/**
 * Creates messages that mirror their records: each is posted exactly once, found again after a crash, and rendered by
 * one process at a time, within Slack's rate limits. While a channel or workspace refuses, jobs wait for a successful
 * probe; the record stays marked as needing a render, so that a later poll requeues a lost job.
 */
export function createLiveMessages<R extends Mirrored, Id extends string>(
  parts: Modules,
  kind: LiveMessageKind<R, Id>,
) {
  const { channels, jobs, slack, clock } = parts;
  const { records } = kind;

  /** Renders a message until it shows the current record. */
  async function renderUntilCurrent(ref: AccountRef, id: Id, options?: CallSlackOptions): Promise<void> {
    if (!(await records.needsRender(ref, id))) return;
    let heldAt = performance.now();
    const lease = await records.acquireRenderLease(ref, id, jobs.timeouts.renderLeaseMs);
    if (lease === undefined) throw new Reschedule(otherProcessMs);
    let calledAt = 0;
    const step: RenderStep = {
      callSlack: parts.slack.callOf(ref.workspace, options),
      async renewLease() {
        calledAt = clock.now();
        const asked = performance.now();
        // The lease cannot have expired yet.
        if (asked - heldAt < Math.min(longestUncheckedMs, jobs.timeouts.renderLeaseMs / 10)) return;
        if (!(await lease.renew())) throw new Reschedule(otherProcessMs);
        heldAt = asked;
      },
    };
    let record: R | undefined;
    try {
      for (;;) {
        record = await records.get(ref, id);
        if (record === undefined) return;
        const shown = await renderOnce(ref, id, record, step);
        if (shown === undefined) return;
        if (await lease.markRendered(shown)) return;
      }
    } catch (error) {
      // If rendered again now, the unanswered call could arrive later and overwrite it permanently.
      if (mayArriveLate(error))
        await lease.releaseAfter(calledAt + jobs.timeouts.lateArrivalMs - clock.now());
      await handleFailure(ref, record, error, calledAt);
    } finally {
      await lease.release();
    }
  }

  /** Returns the revision the message shows now, or undefined if it cannot be rendered at present. */
  async function renderOnce(
    ref: AccountRef,
    id: Id,
    record: R,
    step: RenderStep,
  ): Promise<number | undefined> {
    if (record.card.state === 'wanted') return post(ref, id, record, step);
    if (record.card.state === 'posted') return update(ref, id, record, step);
    return record.revision;
  }

  async function post(ref: AccountRef, id: Id, wanted: R, step: RenderStep): Promise<number | undefined> {
    if (await adoptEarlierPost(ref, id, wanted, step)) return unknownRevision;
    const channel = await kind.channelFor(ref, wanted);
    if (channel === undefined) return undefined;
    if (!(await parts.channels.shared.mayPost(ref, channel, infoBy(step.callSlack)))) return undefined;

    const record = (await kind.prepare?.(ref, wanted, step.callSlack)) ?? wanted;
    const began = clock.now();
    const { answer: posted, isAnyLeftOut } = await step.callSlack({ method: postMethod, channel }, () =>
      send(ref, record, (message, shown) => postOnce(ref, id, shown, { message, channel, step })),
    );
    await channels.health.reportSuccess(ref.workspace, channel, began);
    await kind.afterRender?.(ref, posted, step);
    if (isAnyLeftOut) retryPictures(record);
    return record.revision;
  }

  /**
   * Posts exactly one message: the attempt is stored first, so that an unanswered post is searched for before another is
   * made. Returns the current record.
   */
  async function postOnce(
    ref: AccountRef,
    id: Id,
    record: R,
    { message, channel, step }: { message: Message; channel: ChannelId; step: RenderStep },
  ): Promise<R> {
    await step.renewLease();
    const posting = { type: 'posting', channel, at: clock.now(), slackAt: parts.clock.slackNow() } as const;
    const attempt = await records.apply(ref, id, posting);
    // The message was found meanwhile (somebody clicked it), or is no longer wanted.
    if (!attempt.changed || attempt.record?.card.state !== 'wanted') throw new Reschedule(1);
    await jobs.faults('attempt stored, not posted');
    try {
      const tag = kind.tagFor(ref, record, attempt.record.card.attempt ?? { channel, at: clock.now() });
      const messageRef = await slack.messengerOf(ref.workspace).post(channel, message, { tag });
      await jobs.faults('posted, not recorded');
      const posted = await records.apply(ref, id, { type: 'posted', messageRef });
      return posted.record ?? record;
    } catch (error) {
      if (error instanceof SlackError && error.kind !== 'unreachable')
        await records.apply(ref, id, { type: 'not-posted' });
      throw error;
    }
  }

  /** Searches the channel for a post of unknown outcome. Throws {@link Reschedule} while it may still arrive. */
  async function adoptEarlierPost(ref: AccountRef, id: Id, record: R, step: RenderStep): Promise<boolean> {
    const attempt = record.card.state === 'wanted' ? record.card.attempt : undefined;
    if (attempt === undefined) return false;
    const wait = attempt.at + jobs.timeouts.lateArrivalMs - clock.now();
    if (wait > 0) throw new Reschedule(Math.min(wait, jobs.timeouts.lateArrivalMs));
    const tag = kind.tagFor(ref, record, attempt);
    const { channel } = attempt;
    const messageRef = await step.callSlack({ method: 'conversations.history', channel }, async () => {
      try {
        return await slack
          .messengerOf(ref.workspace)
          .findTagged(channel, (attempt.slackAt ?? attempt.at) - searchMarginMs, tag);
      } catch (error) {
        if (!(error instanceof SlackError) || error.kind !== 'refused') throw error;
        // Without permission to read the channel, a duplicate is better than no message: both mirror the same record.
        parts.log.warn({ channel, code: error.code, tag: tag.type }, 'cannot search for an earlier post');
        return undefined;
      }
    });
    if (messageRef === undefined) return false;
    await records.apply(ref, id, { type: 'posted', messageRef });
    return true;
  }

  async function update(ref: AccountRef, id: Id, record: R, step: RenderStep): Promise<number | undefined> {
    if (record.card.state !== 'posted') return record.revision;
    const { channel, ts } = record.card;
    const began = clock.now();
    try {
      const { isAnyLeftOut } = await step.callSlack({ method: updateMethod, channel }, () =>
        send(ref, record, async (message) => {
          await step.renewLease();
          await slack.messengerOf(ref.workspace).update({ channel, ts }, message);
        }),
      );
      await channels.health.reportSuccess(ref.workspace, channel, began);
      await kind.afterRender?.(ref, record, step);
      if (isAnyLeftOut) retryPictures(record);
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      if (error.code === 'edit_window_closed' && kind.tellUnchangeable)
        await kind.tellUnchangeable(ref, record, { channel, ts });
      else if (error.code !== 'message_not_found') throw error;
      else await records.apply(ref, id, { type: 'card-gone', messageRef: { channel, ts } });
    }
    return record.revision;
  }

  /** Sends a message without what Slack refuses in it: pictures that it cannot show (yet), or charts. */
  async function send<T>(ref: AccountRef, record: R, run: (message: Message, shown: R) => Promise<T>) {
    const sendAs = (shown: R) =>
      withoutRefusedPictures(
        (isRefused) => kind.render(ref, shown, isRefused),
        (message) => run(message, shown),
      );
    try {
      return await sendAs(record);
    } catch (error) {
      if (!(error instanceof SlackError) || error.code !== 'invalid_blocks') throw error;
      const without = await kind.withoutCharts?.(ref, record);
      if (without === undefined) throw error;
      return sendAs(without);
    }
  }

  /** Throws to have a message rendered again if Slack could not show its pictures yet. */
  function retryPictures(record: R): void {
    const waitMs = kind.picturesRetryMs?.(record);
    if (waitMs !== undefined) throw new Reschedule(waitMs);
  }

  async function handleFailure(
    ref: AccountRef,
    record: R | undefined,
    error: unknown,
    calledAt: number,
  ): Promise<void> {
    // Without a key the message waits: polls requeue its job, and tell the channel.
    if (error instanceof NotConnected) return;
    if (!(error instanceof SlackError)) throw error;
    if (!isChannelError(error) || record === undefined) throw error;
    const channel = record.card.state === 'posted' ? record.card.channel : await kind.channelFor(ref, record);
    if (channel) await channels.health.reportFailure(ref.workspace, channel, error.code, calledAt);
  }

  return { render: renderUntilCurrent };
}
