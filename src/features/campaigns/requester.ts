import type { ModalView } from '@slack/types';
import type { ChannelId, MemberId, WorkspaceId } from '../../domain/terms.ts';
import { updateModalIfOpen } from '../../slack/answers.ts';
import type { Message } from '../../slack/blocks.ts';
import type { Click, Submission } from '../../slack/feature.ts';
import { loadingMessageModal, messageModal } from '../../slack/message-modal.view.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { FeatureContext } from '../shared/context.ts';

/** Whoever asked for something, and how they are answered privately. */
export interface Requester {
  readonly workspace: WorkspaceId;
  /** Their own workspace. */
  readonly team: WorkspaceId;
  readonly member: MemberId;
  /** Where they asked; a modal remembers the channel that it was opened in. */
  readonly channel?: ChannelId | undefined;
  readonly answer: (message: Message) => Promise<void>;
}

/** Returns the requester behind a modal that was opened in `channel`: answered there, else in a direct message. */
export function requesterIn(
  { messengerOf }: Pick<FeatureContext, 'messengerOf'>,
  { workspace, team, member }: Pick<Requester, 'workspace' | 'team' | 'member'>,
  channel: ChannelId | undefined,
): Requester {
  return {
    workspace,
    team,
    member,
    channel,
    answer: (message) => messengerOf(workspace).answer({ member, channel }, message),
  };
}

/** Replaces the message that was clicked in; when Slack does not allow that any more, sends the new one privately. */
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

/** Where what came of a form is shown. */
interface Outcome {
  /** What the form is replaced by; absent: it closes. */
  readonly update?: ModalView;
  readonly show: (message: Message) => Promise<void>;
}

/**
 * Returns how a form shows what came of it, where it was opened: in the message that was clicked in, privately in its channel,
 * or, opened from a modal of which no message knows, in its own place, after `update`.
 * @param title of the modal
 */
export function outcomeOf(
  context: Pick<FeatureContext, 'messengerOf'>,
  submission: Submission,
  {
    responseUrl,
    channel,
  }: { readonly responseUrl?: string | undefined; readonly channel?: ChannelId | undefined },
  title: string,
): Outcome {
  const messenger = context.messengerOf(submission.workspace);
  if (responseUrl === undefined && channel === undefined)
    return {
      update: loadingMessageModal(title),
      show: (message) => updateModalIfOpen(messenger, submission.id, messageModal(title, message)),
    };
  const { answer } = requesterIn(context, submission, channel);
  if (responseUrl === undefined) return { show: answer };
  const replace = (message: Message) => messenger.replaceEphemeral(responseUrl, message);
  return { show: (message) => replaceOrAnswer({ replace, answer }, message) };
}
