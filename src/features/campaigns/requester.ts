import type { ModalView } from '@slack/types';
import type { ChannelId, MemberId, WorkspaceId } from '../../domain/terms.ts';
import { updateModalIfOpen } from '../../slack/answers.ts';
import type { Message } from '../../slack/blocks.ts';
import type { Click, Submission } from '../../slack/feature.ts';
import { loadingMessageModal, messageModal } from '../../slack/message-modal.view.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { FeatureContext } from '../shared/context.ts';

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

/** Where a form's outcome is shown. */
interface Outcome {
  /** The view that replaces the form; absent: the form closes. */
  readonly update?: ModalView;
  readonly show: (message: Message) => Promise<void>;
}

/**
 * Returns where a form's outcome is shown: in the clicked message, privately in its channel, or, if the form was opened
 * from a modal without a message, in the form itself, after `update`.
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
