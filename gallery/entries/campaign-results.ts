import {
  comingSentence,
  notComeMessage,
  notInFullSentence,
  notSharedSentence,
  originalMessage,
  progressMessage,
  resultsMessage,
} from '../../src/features/campaigns/results.view.ts';
import type { CountryFigures, Figures } from '../../src/features/campaigns/results-file.ts';
import { notice } from '../../src/slack/blocks.ts';
import { entriesOf } from '../entry.ts';
import { campaign, empty, largest } from '../samples/campaigns.ts';
import { hostile, longest } from '../samples/texts.ts';

const group = (name: string, tasks: number): CountryFigures => ({
  name,
  tasks,
  ok: Math.round(tasks * 0.8),
  nok: Math.round(tasks * 0.1),
});
const figures: Figures = {
  tasks: 194,
  byRating: { OK: 148, NOK: 12, NOTRATED: 30, REVISE: 4, NOTREVIEWED: 0 },
  countries: [group('US', 90), group('GB', 61), group('FR', 40), group('', 3)],
  workers: 87,
};
const none: Figures = {
  tasks: 0,
  byRating: { OK: 0, NOK: 0, NOTRATED: 0, REVISE: 0, NOTREVIEWED: 0 },
  countries: [],
  workers: 0,
};
const largestFigures: Figures = {
  tasks: 123_456_789,
  byRating: { OK: 99_999_999, NOK: 9_999_999, NOTRATED: 999_999, REVISE: 99_999, NOTREVIEWED: 1 },
  countries: Array.from({ length: 60 }, (_, index) => group(`${index} ${hostile}`, 1_000_000 - index)),
  workers: 9_999_999,
};

export const campaignResults = [
  ...entriesOf('Results', resultsMessage, {
    'Figures, in a direct message': () => resultsMessage({ campaign: campaign(), figures }),
    'Figures, for somebody with a key': () =>
      resultsMessage({ campaign: campaign(), figures, hasOriginal: true }),
    'Figures, incomplete': () =>
      resultsMessage({
        campaign: campaign(),
        figures,
        problems: [{ kind: 'unreadable rows', count: 1 }],
      }),
    'All tasks are OK': () =>
      resultsMessage({
        campaign: campaign(),
        figures: { ...none, tasks: 3, byRating: { ...none.byRating, OK: 3 }, workers: 1 },
        problems: Array.from({ length: 30 }, () => ({ kind: 'unreadable rows' as const, count: 1_000 })),
      }),
    'No tasks': () => resultsMessage({ campaign: empty, figures: none }),
    'Everything as long as it comes': () =>
      resultsMessage({
        campaign: largest,
        figures: largestFigures,
        hasOriginal: true,
      }),
  }),
  ...entriesOf('Results', progressMessage, {
    'Progress: being put together': () => progressMessage(campaign(), 0),
    'Progress: reading': () => progressMessage(campaign(), 120),
    'Progress: as many as were expected': () => progressMessage(campaign(), 194),
  }),
  ...entriesOf('Results', originalMessage, {
    'The marketplace’s own file': () => originalMessage(campaign()),
  }),
  ...entriesOf('Results', notComeMessage, { 'Could not be sent': () => notComeMessage(campaign()) }),
  ...entriesOf('Results', notice, {
    'On their way': () => notice(comingSentence(campaign())),
    'Not with addresses': () => notice(notInFullSentence),
    'File not shared': () => notice(notSharedSentence({ kind: 'refused', code: 'file_uploads_disabled' })),
    'File not shared, for a reason of its own': () =>
      notice(notSharedSentence({ kind: 'refused', code: longest() })),
    'Not known whether it arrived': () =>
      notice(notSharedSentence({ kind: 'unreachable', code: 'no_answer' })),
  }),
];
