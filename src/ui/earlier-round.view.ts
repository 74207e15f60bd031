import type { KnownBlock } from '@slack/types';
import { replacedPicture, unchangedPictures } from '../domain/picture.ts';
import type { EarlierRound, Task } from '../domain/task.ts';
import { section } from '../slack/blocks.ts';
import { inline, link, preformatted, user } from '../slack/mrkdwn.ts';

/**
 * Renders the round before: who asked for what, what has changed since, and its picture if another one has taken its place.
 * @param earlierLink its card
 */
export function beforeBlocks(task: Task, earlierLink?: string): KnownBlock[] {
  const { before } = task;
  if (before === undefined) return [];
  const earlier = earlierLink ? ` · ${link(earlierLink, 'earlier card')}` : '';
  const old =
    before.slots.length > 0 && !hasSameText(task)
      ? `\nBefore:\n${preformatted(before.slots.join('\n'), 300)}`
      : '';
  const isTextSame = isCorrection(task) && hasSameText(task) && task.proof.slots.length > 0;
  const same = isTextSame ? '\n:mag: Same text as before the correction' : '';
  const picture = replacedPicture(task);
  const text = `:leftwards_arrow_with_hook: *${roundTitle(task)}*${earlier}${askedLine(before)}${old}${same}${unchangedPicturesLine(task)}`;
  if (picture === undefined) return [section(text)];
  const image = { type: 'image', slack_file: { id: picture.file }, alt_text: 'Picture before' } as const;
  return [section(text, { accessory: image })];
}

function roundTitle(task: Task): string {
  return task.before?.likely
    ? 'Probably a correction of this worker’s earlier task'
    : `Resubmitted, round ${task.round}`;
}

/** Returns who asked for what in the previous round, as far as known. */
function askedLine({ by, askedElsewhere, likely, comment: said }: EarlierRound): string {
  if (by) return `\n${user(by)} requested a revision: ${quoted(said)}`;
  if (askedElsewhere) return `\nA revision was requested outside of Slack: ${quoted(said)}`;
  if (likely) return `\nA revision was requested: ${quoted(said)}`;
  return said.trim() === '' ? '' : `\nComment at the marketplace: ${quoted(said)}`;
}

function quoted(comment: string): string {
  return comment.trim() === '' ? 'no comment' : `“${inline(comment, 300)}”`;
}

/** Returns whether somebody is known to have asked for a revision. */
function isCorrection({ before }: Task): boolean {
  return before !== undefined && (before.by !== undefined || before.askedElsewhere === true);
}

/** Returns whether the text is the same as in the previous round. */
export function hasSameText({ before, proof }: Task): boolean {
  return before?.slots.join('\n').trim() === proof.slots.join('\n').trim();
}

/** Returns the line that says what of a corrected task is as in the round before; '' if nothing is. */
function unchangedPicturesLine(task: Pick<Task, 'before' | 'pictures'>): string {
  const { known, same } = unchangedPictures(task);
  if (same === 0) return '';
  if (same < known)
    return `\n:mag: ${same} of ${known} pictures ${same === 1 ? 'is' : 'are'} the same as before the correction`;
  return `\n:mag: Same ${same === 1 ? 'picture' : 'pictures'} as before the correction`;
}
