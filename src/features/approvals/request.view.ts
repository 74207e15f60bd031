import type { ApprovalEnd, ApprovalRequest } from '../../domain/approval.ts';
import { subjectOf } from '../../domain/approval.ts';
import type { AccountId } from '../../domain/terms.ts';
import { actions, context, type Message, notice, section } from '../../slack/blocks.ts';
import { date, plain, user } from '../../slack/mrkdwn.ts';
import { actText, approvalButtons, requestText } from '../../ui/approval.view.ts';

/** Returns the message to an asked manager, in the request's current state; it is updated throughout. */
export function requestMessage(account: AccountId, request: ApprovalRequest): Message {
  const text = requestText(request);
  const { stage } = request;
  if (stage.state !== 'waiting') {
    const outcome =
      stage.state === 'ended'
        ? endText(stage.end)
        : `:hourglass_flowing_sand: ${user(stage.by)} approved. It is being done.`;
    return notice(`${text}\n${outcome}`);
  }
  return {
    text: plain(text),
    blocks: [
      section(text),
      actions('approval.request', approvalButtons(account, subjectOf(request.act), request)),
      context(
        `It will be done once somebody approves. Without an answer, the request expires ${date(request.until)}.`,
      ),
    ],
  };
}

/** Returns the message to the requester about the outcome. */
export function askerMessage({ act, stage }: ApprovalRequest): Message {
  const end = stage.state === 'ended' ? `\n${endText(stage.end)}` : '';
  return notice(`You asked to ${actText(act)}.${end}`);
}

function endText({ kind, by, sentence = '' }: ApprovalEnd): string {
  const who = by === undefined ? 'Somebody' : user(by);
  switch (kind) {
    case 'done':
      return `:white_check_mark: ${who} approved. ${sentence}`;
    case 'refused':
      return `:warning: ${who} approved, but the marketplace did not accept it. ${sentence}`;
    case 'unknown':
      return `:warning: ${who} approved. ${sentence}`;
    case 'declined':
      return `:no_entry_sign: ${who} declined. Nothing was done.`;
    case 'expired':
      return by === undefined
        ? ':hourglass: Nobody answered in time. Nothing was done.'
        : `:hourglass: ${who} approved, but it could not be done in time. Nothing was done.`;
    case 'canceled':
      return `:no_entry_sign: ${sentence} The request has ended.`;
  }
}

/** Returns the text for a manager whose own request it is. */
export function ownRequestText({ asked = [] }: ApprovalRequest): string {
  return `This is your own request, so somebody else has to approve it. ${asked.map(user).join(', ')} ${asked.length === 1 ? 'was' : 'were'} asked.`;
}

export const nobodyApproves = 'Nothing was done: nobody else in this account can approve this.';
export const answeredMeanwhile = 'It was answered meanwhile.';
export const answeredBefore = 'This request was answered already, or has ended.';
export const approvedText = ':hourglass_flowing_sand: Approved. It is being done.';
export const declinedText = ':no_entry_sign: Declined. Nothing was done.';
export const askerHasNoRole =
  'Nothing was done: the person who asked no longer has the role to ask for this.';
export const approverMayNot =
  'Nothing was done: the person who approved it is no longer a manager of this account.';
export const askedAgainText =
  'Nothing was done: the payment has changed, so the approved total no longer applies. The managers were asked to approve the new total.';
