/* What reviews, bulk ratings, the desk and the home tab decide and undo with, and what they say about the outcome. */

export {
  type CommentActions,
  commentBlocks,
  commentIn,
  reasonMissing,
  tooLong,
  withChosenReason,
} from './comment.view.ts';
export type { FormOutcome, FormSubmission } from './comment-form.ts';
export {
  createReasonOptions,
  type FillReason,
  keepText,
  type OfferedReason,
  textName,
} from './comment-texts.ts';
export { answerOf, intents, undoAnswer } from './decide.view.ts';
export type { Decisions, DecisionTarget } from './decisions.ts';
export type { DecisionForms } from './index.ts';
