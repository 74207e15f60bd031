import { type ApprovalEnd, type ApprovalRequest, subjectOf } from '../../domain/approval.ts';
import { type AccountRef, ChannelId, type MemberId } from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import { type Again, Paused } from '../../jobs/runner.ts';
import type { Modules } from '../../kit/modules.ts';
import { notice } from '../../slack/notice.ts';
import { SlackError } from '../../slack/slack-error.ts';
import { answeredBefore, askerMessage, requestMessage } from './request.view.ts';

/** Creates the messages that ask managers about a request, and notify the requester of its outcome. */
export function createRequestMessages({ people, slack, log }: Modules) {
  /** Resolves to Slack's answer; undefined if it refuses, which blocks nothing else. */
  async function told<T>(recipient: MemberId, send: () => Promise<T>): Promise<T | undefined> {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      if (error.kind === 'rate-limited') throw new Paused(error.retryAfterMs, 'chat.postMessage');
      if (error.kind === 'unreachable') throw error;
      log.warn({ recipient, reason: messageOf(error) }, 'not told of a request');
      return undefined;
    }
  }

  async function update(ref: AccountRef, request: ApprovalRequest): Promise<void> {
    const message = requestMessage(ref.account, request);
    for (const { member, channel, ts } of request.messages)
      await told(member, () => slack.messengerOf(ref.workspace).update({ channel, ts }, message));
  }

  async function askAll(ref: AccountRef, request: ApprovalRequest): Promise<Again | undefined> {
    let current = request;
    for (const member of request.asked ?? []) {
      if (current.messages.some((one) => one.member === member)) continue;
      const message = requestMessage(ref.account, current);
      const sent = await told(member, () =>
        slack.messengerOf(ref.workspace).post(ChannelId.parse(member), message),
      );
      if (sent === undefined) continue;
      const known = await withMessage(ref, current, { member, channel: sent.channel, ts: sent.ts });
      if (known === undefined) return { again: 1 };
      current = known;
    }
    await slack.homes.all(ref.workspace);
    return undefined;
  }

  /** Stores a message of a request whatever its current state, and updates the message to that state; undefined if it has ended. */
  async function withMessage(
    ref: AccountRef,
    request: ApprovalRequest,
    message: ApprovalRequest['messages'][number],
  ): Promise<ApprovalRequest | undefined> {
    for (let before = request; ; ) {
      const after = { ...before, messages: [...before.messages, message] };
      if (await people.approvals.swap(ref, before, after)) {
        if (after.stage.state !== 'waiting')
          await told(message.member, () =>
            slack.messengerOf(ref.workspace).update(message, requestMessage(ref.account, after)),
          );
        return after;
      }
      const latest = await people.approvals.get(ref, subjectOf(request.act));
      // The request has ended, and everybody recorded as asked was told.
      if (latest?.id !== request.id) {
        await told(message.member, () =>
          slack.messengerOf(ref.workspace).update(message, notice(answeredBefore)),
        );
        return undefined;
      }
      before = latest;
    }
  }

  return {
    /** Updates the request messages to its current state. */
    update,
    /** Asks the managers not asked yet. Each message is stored before the next is sent. */
    askAll,
    async tellAsker(ref: AccountRef, request: ApprovalRequest, how: ApprovalEnd): Promise<void> {
      const { by } = request;
      await told(by, () => slack.messengerOf(ref.workspace).direct(by, askerMessage(request, how)));
    },
  };
}
