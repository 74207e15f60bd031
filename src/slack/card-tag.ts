import { z } from 'zod';
import { GivenVerdict, type SecondLook } from '../domain/second-look/look.ts';
import { type Decision, ShownDecision, type Task } from '../domain/task.ts';
import { AccountId, TaskId } from '../domain/terms.ts';
import { movedMark } from './message-tags.ts';

/** The type of the tag that every card's message carries. */
export const cardTagType = 'proofdesk_card';

/** Characters of a comment that a tag carries: Slack limits metadata as a whole. */
const taggedComment = 1_500;

/** A decision in a tag; `cut`: its comment is longer than what the tag carries. */
const TaggedDecision = z
  .object({ ...ShownDecision.unwrap().omit({ isWhole: true }).shape, cut: z.literal(1).optional() })
  .transform(
    ({ cut, comment, ...decision }): ShownDecision => ({
      ...decision,
      comment: unescaped(comment),
      isWhole: cut === undefined,
    }),
  );

/** The payload of a card's tag. Those of earlier versions only say which card it is. */
export const CardTag = z
  .object({
    account: AccountId,
    task: TaskId,
    round: z.number(),
    /** What it says of the record that the card shows. */
    revision: z.number().optional(),
    decision: TaggedDecision.optional().catch(undefined),
    /** What somebody said in a second look that differs from the decision. */
    second: GivenVerdict.unwrap()
      .transform(({ comment, ...given }): GivenVerdict => ({ ...given, comment: unescaped(comment) }))
      .optional()
      .catch(undefined),
    /** Decisions of this round that were undone, one a line. */
    undone: z.string().optional(),
    /** It says where the card continues: it is not one any more. */
    moved: movedMark,
  })
  .readonly();
export type CardTag = z.infer<typeof CardTag>;

/** Returns what identifies a card's message: it is found by this in the channel's history. */
export function cardTag(account: AccountId, task: TaskId, round: number) {
  return { type: cardTagType, payload: { account, task, round } } as const;
}

/**
 * Returns what a card's tag says of the task as the card shows it: its revision and its decision, no data of workers. A
 * Redis that has lost the record reads it back from there.
 */
export function shownState({ revision, decision, look, undone }: Task) {
  return {
    revision,
    ...(decision ? { decision: taggedDecision(decision) } : {}),
    ...(look ? { decision: taggedLook(look) } : {}),
    ...(look?.second ? { second: taggedVerdict(look.second) } : {}),
    ...(undone ? { undone: undone.join('\n') } : {}),
  };
}

function taggedDecision({ id, by, verdict, comment, at, dueAt, state, attempts, bonus, favorite }: Decision) {
  const characters = [...comment];
  const isCut = characters.length > taggedComment;
  return {
    ...{ id, by, verdict, at, state, attempts },
    comment: escaped(isCut ? characters.slice(0, taggedComment).join('') : comment),
    ...(isCut ? { cut: 1 as const } : {}),
    ...(dueAt === undefined ? {} : { dueAt }),
    ...(bonus === undefined ? {} : { bonus }),
    ...(favorite ? { favorite } : {}),
  };
}

/** A decision that waits for a second look is one that is sent when its time is up. */
function taggedLook({ first, until, why }: SecondLook) {
  return { ...taggedDecision({ ...first, state: 'waiting', attempts: 0, dueAt: until }), why };
}

function taggedVerdict({ id, by, verdict, comment, at }: GivenVerdict) {
  return { id, by, verdict, at, comment: escaped([...comment].slice(0, taggedComment).join('')) };
}

/** Metadata are never rendered; all the same, no message carries what would ping somebody if they were. */
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
