import type { ChannelId, MemberId, WorkspaceId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Message } from '../../slack/blocks.ts';
import type { Click } from '../../slack/feature.ts';
import { SlackError } from '../../slack/slack-error.ts';

/** A member who asked for something, with how to answer them privately. */
export interface Requester {
  readonly workspace: WorkspaceId;
  /** Their own workspace. */
  readonly team: WorkspaceId;
  readonly member: MemberId;
  /** Where they asked; a modal remembers the channel in which it was opened. */
  readonly channel?: ChannelId | undefined;
  readonly answer: (message: Message) => Promise<void>;
}

/** Returns the requester of a modal opened in `channel`: answered there, else in a direct message. */
export function requesterIn(
  { slack }: Modules,
  { workspace, team, member }: Pick<Requester, 'workspace' | 'team' | 'member'>,
  channel: ChannelId | undefined,
): Requester {
  return {
    workspace,
    team,
    member,
    channel,
    answer: (message) => slack.messengerOf(workspace).answer({ member, channel }, message),
  };
}

/** Replaces the clicked message; if Slack no longer allows that, sends the new one privately. */
export async function replaceOrAnswer(
  { replace, answer }: Pick<Click, 'replace' | 'answer'>,
  message: Message,
): Promise<void> {
  try {
    await replace(message);
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    await answer(message);
  }
}
