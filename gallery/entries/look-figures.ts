import { figuresOf, figuresOfReviewer } from '../../src/domain/second-look/figures.ts';
import type { SecondLookOutcome } from '../../src/domain/second-look/outcome.ts';
import { type MemberId, type Verdict, verdicts } from '../../src/domain/terms.ts';
import { figuresModal, mostNamed, mostReviewers } from '../../src/features/look-figures/figures.view.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { ann, ben } from '../samples/people.ts';
import { hostile, longest } from '../samples/texts.ts';
import { now } from '../samples/times.ts';

const outcome = (index: number, first: MemberId, second: MemberId): SecondLookOutcome => {
  const verdict = (verdicts[index % 2] ?? 'OK') satisfies Verdict;
  const isDiffering = index % 7 === 0;
  return {
    task: asId(`a${index}`),
    campaign: asId('c1'),
    at: now,
    why: index % 3 === 0 ? 'bonus' : 'share',
    first: { member: first, verdict },
    second: { member: second, verdict: isDiffering ? 'NOK' : verdict },
    ...(isDiffering ? { third: { member: asId('U03CHLOE'), verdict: index % 2 ? verdict : 'NOK' } } : {}),
  };
};
const outcomes = Array.from({ length: 60 }, (_, index) =>
  index % 2 ? outcome(index, ann, ben) : outcome(index, ben, ann),
);
const all = figuresOf(outcomes);
const none = figuresOf([]);
const pace = { decisions: 412, hours: 17 };
const team = {
  all,
  drawn: figuresOf(outcomes.filter(({ why }) => why === 'share')),
  campaigns: [
    { name: 'Photograph a shelf in your supermarket', ...figuresOf(outcomes.slice(0, 40)) },
    { name: 'Compare two menus', ...figuresOf(outcomes.slice(40)) },
  ],
  reasons: [{ name: 'The picture is blurry or dark', ...figuresOf(outcomes.slice(0, 9)) }],
  viewer: ann,
};
const many = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: index % 2 ? hostile : longest(), ...all }));

export const lookFigures = entriesOf('Second looks', figuresModal, {
  'A manager sees everybody': () =>
    figuresModal({
      ...team,
      reviewers: [ann, ben].map((member) => ({ ...figuresOfReviewer(outcomes, member), pace })),
    }),
  'A reviewer sees their own, of one campaign': () =>
    figuresModal({
      ...team,
      campaignTitle: 'Compare two menus',
      campaigns: [],
      drawn: none,
      reviewers: [{ ...figuresOfReviewer(outcomes, ann), pace }],
    }),
  'No task was looked at twice': () =>
    figuresModal({ all: none, drawn: none, campaigns: [], reasons: [], reviewers: [], viewer: ann }),
  'More than is named, with hostile titles': () =>
    figuresModal({
      ...team,
      campaignTitle: hostile,
      campaigns: many(mostNamed + 3),
      reasons: many(mostNamed + 3),
      reviewers: Array.from({ length: mostReviewers + 3 }, () => ({
        ...figuresOfReviewer(outcomes, ben),
        pace,
      })),
    }),
});
