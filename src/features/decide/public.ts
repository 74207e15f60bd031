/* What reviews, bulk ratings and the home tab decide and undo with, and what they say about the outcome. */

export type { FormOutcome, FormSubmission } from './comment-form.ts';
export { answerOf, intents, undoAnswer } from './decide.view.ts';
export { type Decisions, type DecisionTarget, keepText, textName } from './decisions.ts';
export type { DecisionForms } from './index.ts';
