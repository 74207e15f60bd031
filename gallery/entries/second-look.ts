import type { GivenVerdict, LookResult, SecondLook } from '../../src/domain/second-look/look.ts';
import { noSecondLooks } from '../../src/domain/second-look/settings.ts';
import type { CampaignId } from '../../src/domain/terms.ts';
import { taskCard } from '../../src/features/cards/card.view.ts';
import { focusView } from '../../src/features/focus/focus.view.ts';
import { decidedMessage, differenceMessage } from '../../src/features/second-look/difference.view.ts';
import { secondLookModal, secondLookState } from '../../src/features/second-look/settings.view.ts';
import {
  bonusNotPaid,
  lookProblem,
  nowDiffers,
  nowWaits,
} from '../../src/features/shared/second-look.view.ts';
import { notice } from '../../src/slack/notice.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { account, ann, ben, chloe } from '../samples/people.ts';
import { cardOf, decision, task } from '../samples/tasks.ts';
import { hostile, longest } from '../samples/texts.ts';
import { now } from '../samples/times.ts';

const at = now - 60_000;
const first: GivenVerdict = {
  ...{ id: 'd1', by: ann, verdict: 'NOK', comment: 'The price labels cannot be read.', at },
} as const;
const second: GivenVerdict = { id: 'd2', by: ben, verdict: 'OK', comment: '', at };
const third: GivenVerdict = { id: 'd3', by: chloe, verdict: 'OK', comment: 'Two labels are enough.', at };
const look: SecondLook = { why: 'share', until: now + 7_200_000, first };
const differing: SecondLook = { ...look, second };
const result = (how: LookResult['how'], more: Partial<LookResult> = {}): LookResult => ({
  ...look,
  ...more,
  how,
});
const decided = (made: LookResult) => () =>
  taskCard(cardOf(task({ decision: decision('waiting', { ...first, look: made }) })));
const about = {
  task: task({ look: differing }),
  title: 'Photograph a shelf in your supermarket',
  card: 'https://sandbox.slack.com/archives/C01REVIEW/p1',
};
const own = { share: 20, bonusAbove: '0.5', bulkNok: true } as const;
const campaigns = [
  { id: asId<CampaignId>('c0ffee01'), title: 'Photograph a shelf', own },
  { id: asId<CampaignId>('c0ffee02'), title: hostile, own },
  { id: asId<CampaignId>('c0ffee03'), title: longest() },
];
const record = { counts: { OK: 12, NOK: 1, REVISE: 0, NOTRATED: 2, NOTREVIEWED: 0 }, campaigns: 3 };
const problemFor = (one: SecondLook, who: typeof ann) => () =>
  lookProblem(task({ look: one }), {}, who) ?? notice('None.');

export const secondLook = [
  ...entriesOf('Second look', taskCard, {
    'Waits for a second look': () => taskCard(cardOf(task({ look }))),
    'Two differ': () => taskCard(cardOf(task({ look: differing }))),
    'Two differ: the longest comments, hostile': () =>
      taskCard(
        cardOf(
          task({
            look: {
              ...look,
              first: { ...first, comment: longest(), bonus: '0.5' },
              second: { ...second, comment: hostile },
            },
          }),
        ),
      ),
    'The second look agreed': decided(result('agreed', { second: { ...second, verdict: 'NOK' } })),
    'Decided between two': decided(result('third', { second, third })),
    'Let go: nobody looked': decided(result('let go')),
    'Let go: two differed': decided(result('let go', { second })),
  }),
  ...entriesOf('Second look', focusView, {
    'In focus review: two differ': () =>
      focusView({
        state: { account, session: 'sample', step: 5, task: task().id, round: 1, saw: 'd2' },
        task: task({ look: differing }),
        ...{ campaignTitle: about.title, record, left: 3, decided: 4, label: '', notices: [] },
      }),
  }),
  ...entriesOf('Second look', nowWaits, { 'Your decision waits': () => nowWaits(look) }),
  ...entriesOf('Second look', nowDiffers, {
    'You differ from the first': () => nowDiffers(differing, ben),
  }),
  ...entriesOf('Second look', bonusNotPaid, { 'The bonus of a second look': () => bonusNotPaid() }),
  ...entriesOf('Second look', lookProblem, {
    'You have decided already': problemFor(look, ann),
    'You have looked already': problemFor(differing, ben),
    'Somebody looked meanwhile': problemFor(differing, chloe),
  }),
  ...entriesOf('Second look', differenceMessage, {
    'You differ: the first is told': () => differenceMessage(about, differing, ann),
    'You differ: the second is told': () => differenceMessage({ ...about, card: undefined }, differing, ben),
    'You differ: hostile': () =>
      differenceMessage(
        { ...about, title: hostile },
        { ...differing, first: { ...first, comment: hostile } },
        ben,
      ),
  }),
  ...entriesOf('Second look', decidedMessage, {
    'What was decided between two': () => decidedMessage(about, result('third', { second, third }), ann),
  }),
  ...entriesOf('Second look', secondLookModal, {
    'Settings: off': () => secondLookModal(secondLookState.encode({ account }), noSecondLooks, []),
    'Settings: of campaigns': () =>
      secondLookModal(secondLookState.encode({ account }), { share: 5, bulkNok: false }, campaigns),
  }),
];
