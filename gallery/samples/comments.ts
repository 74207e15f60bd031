import type { OfferedReason } from '../../src/features/decide/comment-texts.ts';
import type { Intent, ShownComment } from '../../src/features/decide/decide.view.ts';
import { asId } from '../../test/harness/ids.ts';
import { account } from './people.ts';
import { hostile, longest, wordy } from './texts.ts';
import { minutesAgo } from './times.ts';

const at = minutesAgo(5);

const texts = [
  'The picture is too blurry for us to check. Please take it again in good light.',
  'Part of the proof is missing. We asked for:\nA photo of the shelf and its price label\n\nPlease add what is missing.',
  'The link you sent does not open.',
];

/** Returns `count` saved reasons, filled in. */
export function offered(count: number): OfferedReason[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `r${index}`,
    name: ['The picture is blurry', 'Part of the proof is missing', hostile, wordy(75)][index % 4] ?? '',
    text: texts[index % texts.length] ?? '',
  }));
}

/** An empty comment. */
export const noComment: ShownComment = { reasons: offered(3), text: '', filled: 0 };

/** With a saved reason filled in. */
export const chosenComment: ShownComment = {
  reasons: offered(9),
  text: texts[0] ?? '',
  chosen: 'r0',
  filled: 1,
};

/** With the previously typed text filled in again. */
export const typedAgain: ShownComment = {
  reasons: [],
  text: hostile,
  filled: 0,
  again: { text: hostile, verdict: 'NOK', form: at, order: '', at },
};

/** At maximum size, with a reason that does not fit. */
export const fullComment: ShownComment = {
  reasons: offered(100),
  text: longest(),
  filled: 7,
  again: { text: longest(), verdict: 'NOK', form: at, order: '', at },
  problem: 'With this reason, the text has 3,120 characters. It can have 3,000 at most.',
};

/** Returns the decision that somebody was about to make when they opened a form. */
export const intent = (verdict: Intent['verdict']): Intent => ({
  account,
  task: asId('5e1d77a0c3'),
  round: 1,
  verdict,
});
