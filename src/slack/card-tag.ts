import { z } from 'zod';
import { type Decision, ShownDecision, type Task } from '../domain/task.ts';
import { AccountId, TaskId } from '../domain/terms.ts';
import { movedMark } from './message-tags.ts';

/** The type of the tag on every card's message. */
export const cardTagType = 'proofdesk_card';

/** Most characters of a comment in a tag, as they are sent: Slack limits metadata as a whole. */
const taggedComment = 2_500;

/** A decision in a tag; `cut`: its comment is longer than the tag can carry. */
const TaggedDecision = z
  .object({ ...ShownDecision.unwrap().omit({ isWhole: true }).shape, cut: z.literal(1).optional() })
  .transform(
    ({ cut, comment, ...decision }): ShownDecision => ({
      ...decision,
      comment: unescaped(comment),
      isWhole: cut === undefined,
    }),
  );

/** The payload of a card's tag. */
export const CardTag = z
  .object({
    account: AccountId,
    task: TaskId,
    round: z.number(),
    /** State of the record that the card shows. */
    revision: z.number().optional(),
    decision: TaggedDecision.optional().catch(undefined),
    /** Decisions of this round that were undone, one a line. */
    undone: z.string().optional(),
    /** The message says where the card continues, and is no longer a card. */
    moved: movedMark,
  })
  .readonly();
export type CardTag = z.infer<typeof CardTag>;

/** Returns the tag that identifies a card's message, by which it is found in the channel's history. */
export function cardTag(account: AccountId, task: TaskId, round: number) {
  return { type: cardTagType, payload: { account, task, round } } as const;
}

/**
 * Returns the task's state as the card shows it, for the card's tag: its revision and its decision, no data of workers.
 * After a loss of the record in Redis, it is read back from there.
 */
export function shownState({ revision, decision, undone }: Task) {
  return {
    revision,
    ...(decision ? { decision: taggedDecision(decision) } : {}),
    ...(undone ? { undone: undone.join('\n') } : {}),
  };
}

function taggedDecision(decision: Decision) {
  const { id, by, verdict, comment, at, dueAt, state, attempts, bonus, favorite, unchecked } = decision;
  const shown = fitting(comment);
  return {
    ...{ id, by, verdict, at, state, attempts },
    comment: escaped(shown),
    // An unchecked decision is not sent from its card either.
    ...(shown !== comment || unchecked ? { cut: 1 as const } : {}),
    ...(dueAt === undefined ? {} : { dueAt }),
    ...(bonus === undefined ? {} : { bonus }),
    ...(favorite ? { favorite } : {}),
  };
}

/** Returns as much of a comment as a tag can carry. */
function fitting(comment: string): string {
  let [fits, size] = ['', 0];
  for (const character of comment) {
    size += JSON.stringify(escaped(character)).length - 2;
    if (size > taggedComment) break;
    fits += character;
  }
  return fits;
}

/** Metadata are never rendered; still, no message carries text that would ping somebody if they were. */
const escapes = [
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
] as const;

function escaped(text: string): string {
  return escapes.reduce((result, [raw, safe]) => result.replaceAll(raw, safe), text);
}

function unescaped(text: string): string {
  return escapes.toReversed().reduce((result, [raw, safe]) => result.replaceAll(safe, raw), text);
}
