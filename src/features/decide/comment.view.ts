import type { KnownBlock } from '@slack/types';
import { lengthOf, maxComment, withReason } from '../../domain/reason.ts';
import { context, input, option, plainText } from '../../slack/blocks.ts';
import type { Values } from '../../slack/form-values.ts';
import { date } from '../../slack/mrkdwn.ts';
import type { TypedText } from '../../store/drafts.ts';
import { number } from '../../ui/words.ts';
import type { OfferedReason } from './comment-texts.ts';

/** The action ids of the comment inputs; each modal has its own. */
export interface CommentActions {
  readonly typed: string;
  readonly choose: string;
}

export interface CommentInput {
  readonly label: string;
  readonly isOptional?: boolean;
  readonly actions: CommentActions;
  readonly reasons: readonly OfferedReason[];
  /** Text in the input, and the saved reason it came from. */
  readonly text: string;
  readonly chosen?: string | undefined;
  /**
   * How often the text was filled in. Slack keeps typed text while an input's name stays the same, so each fill uses a
   * new name.
   */
  readonly filled: number;
  /** Previously typed text, restored into the input. */
  readonly again?: TypedText | undefined;
  readonly problem?: string | undefined;
}

/** Maximum number of reasons shown as buttons; more are in a select. */
const maxButtons = 6;

const inputName = /^(comment|reason)\.\d+$/;

/** Returns the inputs of a comment for the worker: the saved reasons, and the text as it will be sent. */
export function commentBlocks(shown: CommentInput): KnownBlock[] {
  const { label, isOptional = false, actions, text, filled, again, problem } = shown;
  return [
    ...reasonBlocks(shown),
    ...(problem === undefined ? [] : [context(problem)]),
    input(
      `comment.${filled}`,
      label,
      {
        type: 'plain_text_input',
        multiline: true,
        max_length: maxComment,
        focus_on_load: !isOptional,
        dispatch_action_config: { trigger_actions_on: ['on_character_entered'] },
        ...(text === '' ? {} : { initial_value: text }),
      },
      { isOptional, dispatches: actions.typed },
    ),
    ...(again === undefined
      ? []
      : [context(`This is from before, ${date(again.at)}. It was not sent. Change it, or delete it.`)]),
  ];
}

function reasonBlocks({ actions, reasons, chosen, filled }: CommentInput): KnownBlock[] {
  if (reasons.length === 0) return [];
  const options = reasons.map(({ id, name, text }) => option(name, id, previewOf(text, reasons)));
  const initial = options.find(({ value }) => value === chosen);
  const choice = { options, ...(initial && { initial_option: initial }) };
  const element =
    options.length <= maxButtons
      ? ({ type: 'radio_buttons', ...choice } as const)
      : ({ type: 'static_select', placeholder: plainText('Choose a reason'), ...choice } as const);
  const behavior = { isOptional: true, dispatches: actions.choose };
  return [input(`reason.${filled}`, 'Saved reasons', element, behavior)];
}

/** Returns how a reason begins, after a first sentence that others have too, such as a greeting. */
function previewOf(text: string, all: readonly OfferedReason[]): string {
  const [greeting = ''] = /^[^.!?]*[.!?]\s+/u.exec(text) ?? [];
  const isShared = greeting !== '' && all.filter((one) => one.text.startsWith(greeting)).length > 1;
  return text.slice(isShared ? greeting.length : 0).replace(/\s+/gu, ' ');
}

/** Returns the text that was typed, the name of its input, for an error next to it, and the reason that was chosen. */
export function commentIn(values: Values): {
  readonly name: string;
  readonly text: string;
  readonly chosen: string | undefined;
} {
  const states = Object.entries(values)
    .filter(([name]) => inputName.test(name))
    .map(([name, elements]) => ({ name, state: Object.values(elements)[0] }));
  const comment = states.find(({ name }) => name.startsWith('comment.'));
  return {
    name: comment?.name ?? 'comment.0',
    text: comment?.state?.value?.trim() ?? '',
    chosen: states.find(({ name }) => name.startsWith('reason.'))?.state?.selected_option?.value,
  };
}

export const reasonMissing = 'Enter a reason, or choose a saved one. The worker reads it.';

const reasonGone = 'Somebody has just removed that reason. Choose another one, or type yours.';

/** A comment after a saved reason was chosen for it. `problem`: why that changed nothing. */
export interface ChosenComment {
  readonly text: string;
  readonly reason: string | undefined;
  readonly problem?: string | undefined;
}

/**
 * Returns a comment with a saved reason filled in, in place of the one before.
 * @param saved the texts of all saved reasons
 */
export function withChosenReason(
  { text, reason: before }: ChosenComment,
  chosen: string,
  reasons: readonly OfferedReason[],
  saved: readonly string[],
): ChosenComment {
  const reason = reasons.find(({ id }) => id === chosen);
  if (reason === undefined) return { text, reason: before, problem: reasonGone };
  const last = reasons.find(({ id }) => id === before)?.text;
  const next = withReason(text, saved, reason.text, last);
  const problem = tooLong(next);
  return problem === undefined ? { text: next, reason: chosen } : { text, reason: before, problem };
}

/** Returns the error for a comment longer than the form accepts; otherwise undefined. */
export function tooLong(text: string): string | undefined {
  const length = lengthOf(text);
  if (length <= maxComment) return undefined;
  const [is, most] = [length, maxComment].map(number);
  return `With this reason, the text has ${is} characters. It can have ${most} at most: shorten it, then choose the reason again.`;
}
