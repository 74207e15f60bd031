import type { Assignment } from '../../domain/assignment.ts';
import type { Decision, Task } from '../../domain/task.ts';
import type { AccountId, MemberId } from '../../domain/terms.ts';
import { actions, button, type Message, section } from '../../slack/blocks.ts';
import { encodeCardBlock } from '../../slack/message-tags.ts';
import { inline, plain, user } from '../../slack/mrkdwn.ts';
import { assignmentText } from '../../ui/task.view.ts';

/** Who else has the task being decided on. */
export interface Others {
  readonly assignment?: Assignment;
  /** Who is looking at it in a focus review. */
  readonly looking?: MemberId;
}

/** Returns who else has a task, in mrkdwn. */
export function othersText({ assignment, looking }: Others): string {
  return [
    ...(assignment ? [`${assignmentText(assignment)}.`] : []),
    ...(looking ? [`${user(looking)} is looking at this task in a review right now.`] : []),
  ].join(' ');
}

/** Returns the notice to the decider that somebody else has the task. */
export function hadByOthers({
  account,
  task,
  title,
  decision,
  others,
  canUndo,
}: {
  readonly account: AccountId;
  readonly task: Task;
  readonly title: string;
  readonly decision: Pick<Decision, 'id' | 'verdict'>;
  readonly others: Others;
  /** Whether it waits before it is sent. */
  readonly canUndo: boolean;
}): Message {
  const worker = inline(task.worker.name ?? task.worker.id, 60);
  const text = `*${inline(title)}* · Worker ${worker}\n${othersText(others)} Your *${decision.verdict}* still counts.${canUndo ? ' To leave the task to them, undo it.' : ''}`;
  const block = encodeCardBlock({ account, round: task.round, decision: decision.id });
  return {
    text: plain(text),
    blocks: [section(text), ...(canUndo ? [actions(block, [button('Undo', 'task.undo', task.id)])] : [])],
  };
}
