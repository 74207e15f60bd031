import type { KnownBlock } from '@slack/types';
import type { GivenVerdict, LookResult, SecondLook } from '../../domain/second-look/look.ts';
import { mayLook, verdictsOn } from '../../domain/second-look/transition.ts';
import type { Task } from '../../domain/task.ts';
import type { MemberId } from '../../domain/terms.ts';
import { type Message, section } from '../../slack/blocks.ts';
import { date, inline, user } from '../../slack/mrkdwn.ts';
import { notice } from '../../slack/notice.ts';

/** Words and date in one format: Slack capitalizes a date that begins its own format. */
const untilFormat = 'at the latest {date_short_pretty} at {time}';

/** Returns the card line of a task that waits for a second look, or for a tie-break. */
export function lookLine({ first, second, until }: SecondLook): string {
  if (second === undefined)
    return `:eyes: Waits for a second look by somebody other than ${user(first.by)}. Without one it is sent as decided, ${date(until, untilFormat)}.`;
  return `:eyes: Two reviewers differ: ${verdictText(first)} ${verdictText(second)} A third reviewer decides. If nobody does, the first rating is sent, ${date(until, untilFormat)}.`;
}

/** Returns how two reviewers differ, for the person who breaks the tie. */
export function differenceBlocks({ look }: Pick<Task, 'look'>): KnownBlock[] {
  return look?.second === undefined ? [] : [section(lookLine(look))];
}

/** Returns the result of a decision's second look, worded to follow the decision. */
export function lookResultText({ how, first, second, third }: LookResult): string {
  if (how === 'agreed' && second) {
    const said =
      second.comment.trim() === '' ? '' : `, who wrote to the team: “${inline(second.comment, 300)}”`;
    return ` A second look by ${user(second.by)} agreed${said}.`;
  }
  if (how === 'third' && second && third)
    return ` ${user(third.by)} decided between two: ${verdictText(first)} ${verdictText(second)}`;
  if (second)
    return ` Two reviewers differed, and nobody decided between them in time: ${verdictText(first)} ${verdictText(second)} The first was sent.`;
  return ' Nobody took a second look in time.';
}

function verdictText({ by, verdict, comment, bonus }: GivenVerdict): string {
  const said = comment.trim() === '' ? '' : `, “${inline(comment, 300)}”`;
  const paid = bonus === undefined ? '' : `, with a bonus of ${inline(bonus, 20)}`;
  const line = `${user(by)} said *${verdict}*${paid}${said}`;
  return /[.!?…]”$/u.test(line) ? line : `${line}.`;
}

/**
 * Returns why somebody cannot decide on a task that waits for a second look; undefined when they can.
 * @param seen the last verdict shown to the member, where two differ
 * @param id their decision; a repeated delivery is no problem
 */
export function lookProblem(
  task: Task,
  { saw }: { readonly saw?: string | undefined },
  member: MemberId,
  id?: string,
): Message | undefined {
  const { look } = task;
  if (look === undefined || verdictsOn(task).some((given) => given.id === id)) return undefined;
  if (look.first.by === member) return notice(look.second ? differsFrom(look, member) : alreadyYours(look));
  if (!mayLook(look, member)) return notice(differsFrom(look, member));
  if (look.second && look.second.id !== saw)
    return notice(
      `Your rating was not sent: ${user(look.second.by)} gave a second look first, and the two ratings differ. Read both on the card or in focus review, then decide.`,
    );
  return undefined;
}

function alreadyYours({ first, until }: SecondLook): string {
  return `You have decided *${first.verdict}* on this task. It waits for a second look, so somebody else must look now. Without one it is sent ${date(until, untilFormat)}. Undo it on the card to change it.`;
}

function differsFrom({ second, first, until }: SecondLook, member: MemberId): string {
  const other = second?.by === member ? first : second;
  return `You and ${other ? user(other.by) : 'a colleague'} differ on this task, so somebody else decides between you. If nobody has, the first verdict is sent ${date(until, untilFormat)}.`;
}

/** Tells the decider that their decision waits for a second look. */
export function nowWaits({ first, until }: SecondLook): Message {
  return notice(
    `Your *${first.verdict}* waits for a second look by somebody else. Without one it is sent ${date(until, untilFormat)}. Until then only you can see it.`,
  );
}

/** Tells the second reviewer that their verdict differs from the first. */
export function nowDiffers(look: SecondLook, member: MemberId): Message {
  return notice(differsFrom(look, member));
}

/** Tells the second reviewer that their bonus is not paid. */
export function bonusNotPaid(): Message {
  return notice(
    'The bonus was not paid: this task had been decided before and waited for a second look. Only the bonus of the first decision counts.',
  );
}
