import { type SavedReason, startingReasons } from '../../src/domain/reason.ts';
import {
  outcomeText,
  type ReasonsContent,
  reasonFormModal,
  reasonGone,
  reasonsModal,
  tooLongFilled,
  unknownPlaceholder,
} from '../../src/features/reasons/reasons.view.ts';
import { notice } from '../../src/slack/blocks.ts';
import { maxReasons } from '../../src/store/reasons.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { account, ann } from '../samples/people.ts';
import { hostile, longest, wordy } from '../samples/texts.ts';
import { minutesAgo } from '../samples/times.ts';

const own: SavedReason & { campaignTitle?: string } = {
  id: 'r1',
  verdict: 'REVISE',
  campaign: asId('7f3a9c21'),
  campaignTitle: 'Photograph a shelf in your supermarket',
  name: 'Show the price labels',
  text: 'Hello {worker}, the price labels cannot be read. We asked for: {asked}',
  uses: 128,
  by: ann,
  at: minutesAgo(60),
};
const starting = startingReasons.map((reason, index) => ({ ...reason, uses: index === 0 ? 1 : 0 }));
const largest = Array.from({ length: maxReasons + startingReasons.length }, (_, index) => ({
  ...own,
  id: `r${index}`,
  campaignTitle: longest(500),
  name: index % 2 === 0 ? hostile.slice(0, 75) : wordy(75),
  text: longest(),
  uses: 1_234_567,
}));

function content(changes: Partial<ReasonsContent> = {}): ReasonsContent {
  return { account, reasons: [own, ...starting], mayChange: true, ...changes };
}

const state = { account, id: 'r1', isNew: false };

export const reasons = [
  ...entriesOf('Saved reasons', reasonsModal, {
    'List, for a manager': () => reasonsModal(content()),
    'List, for a reviewer': () => reasonsModal(content({ mayChange: false })),
    'List, after a change': () =>
      reasonsModal(content({ outcome: ':white_check_mark: “Show the price labels” was changed.' })),
    'List: everything as long as it comes': () => reasonsModal(content({ reasons: largest })),
    'List, after a removal by somebody else': () => reasonsModal(content({ outcome: reasonGone })),
    'List, empty': () => reasonsModal(content({ reasons: [] })),
  }),
  ...entriesOf('Saved reasons', notice, {
    'A reason was added': () => notice(outcomeText('added', wordy(75))),
    'A reason with placeholders that stand for nothing': () => notice(unknownPlaceholder(['{name}', '{x}'])),
    'A reason that is too long once it is filled in': () => notice(tooLongFilled(3_120, 3_000)),
  }),
  ...entriesOf('Saved reasons', reasonFormModal, {
    'Form: a new one': () => reasonFormModal({ state: { account, id: 'r2', isNew: true } }),
    'Form: one for a single campaign': () =>
      reasonFormModal({ state, reason: own, campaignTitle: 'Photograph a shelf in your supermarket' }),
    'Form: a comment with an OK, in all campaigns': () =>
      reasonFormModal({ state, reason: { verdict: 'OK', name: 'Thanks', text: 'Very sharp.' } }),
    'Form: as long as it comes': () =>
      reasonFormModal({
        state,
        reason: { ...own, name: wordy(75), text: longest() },
        campaignTitle: longest(500),
      }),
  }),
];
