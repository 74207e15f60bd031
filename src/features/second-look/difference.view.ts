import type { GivenVerdict, LookResult, SecondLook } from '../../domain/second-look/look.ts';
import type { Task } from '../../domain/task.ts';
import type { MemberId } from '../../domain/terms.ts';
import type { Message } from '../../slack/blocks.ts';
import { date, inline, link, user } from '../../slack/mrkdwn.ts';
import { notice } from '../../slack/notice.ts';

/** The task on which two reviewers differ. */
export interface DifferentTask {
  readonly task: Task;
  readonly title: string;
  /** Link to its card; absent if it has none. */
  readonly card: string | undefined;
}

/** Returns the notice to one of two reviewers that they differ. */
export function differenceMessage(about: DifferentTask, look: SecondLook, member: MemberId): Message {
  const [own, other] = ownFirst(look, member);
  return notice(
    `${taskLine(about)}\nYou and ${user(other.by)} differ: you said *${own.verdict}*, they said *${other.verdict}*${saidText(other)} Somebody else decides between you. If nobody has, the first verdict, *${look.first.verdict}*, is sent ${date(look.until, 'at the latest {date_short_pretty} at {time}')}.`,
  );
}

/** Returns the notice to one of two reviewers about the tie-break. */
export function decidedMessage(about: DifferentTask, look: LookResult, member: MemberId): Message {
  const [own, other] = ownFirst(look, member);
  const { third } = look;
  if (third === undefined) return notice(taskLine(about));
  return notice(
    `${taskLine(about)}\n${user(third.by)} decided *${third.verdict}*${saidText(third)} You had said *${own.verdict}*, ${user(other.by)} *${other.verdict}*.`,
  );
}

function ownFirst({ first, second }: SecondLook, member: MemberId): [GivenVerdict, GivenVerdict] {
  return second?.by === member ? [second, first] : [first, second ?? first];
}

function taskLine({ task, title, card }: DifferentTask): string {
  const worker = `Worker ${inline(task.worker.name ?? task.worker.id, 60)}`;
  return [`*${inline(title)}*`, worker, ...(card ? [link(card, 'its card')] : [])].join(' · ');
}

function saidText({ comment }: GivenVerdict): string {
  return comment.trim() === '' ? '.' : `: “${inline(comment, 500)}”.`;
}
