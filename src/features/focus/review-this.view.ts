import type { MemberId } from '../../domain/terms.ts';
import { user } from '../../slack/mrkdwn.ts';

export const noCard =
  'This message is not a task card. Choose *Review this* on a card, or start a review with `/review`.';
export const taskUnknown = 'This task is not known here at the moment. Try again in a minute.';

/** Returns why a task cannot be reviewed. @param happened what happened to it, in mrkdwn */
export function nothingToReview(happened: string): string {
  return `${happened} There is nothing to review.`;
}

/** Returns that somebody is looking at a task in a review. @param member who; absent if unknown */
export function lookingNow(member: MemberId | undefined): string {
  const who = member === undefined ? 'A colleague' : user(member);
  return `${who} is looking at this task in a review right now. It is free again once they decide, skip it or end the review.`;
}
