import { searchCountries } from '../../src/features/campaigns/countries.ts';
import { noteView, sendingView } from '../../src/features/campaigns/outcome.view.ts';
import {
  restartedSentence,
  restartNoteView,
  restartSendingView,
  restartUnsureSentence,
  restartView,
} from '../../src/features/campaigns/restart.view.ts';
import {
  retargetedSentence,
  retargetNoteView,
  retargetSendingView,
  retargetUnsureSentence,
  retargetView,
} from '../../src/features/campaigns/retarget.view.ts';
import {
  cancelledSentence,
  endedMessage,
  plannedMessage,
  plannedView,
  refusedMessage,
  thenOffer,
} from '../../src/features/campaigns/retarget-later.view.ts';
import { notice } from '../../src/slack/notice.ts';
import { type Drawn, entriesOf } from '../entry.ts';
import { campaign, finished, largest } from '../samples/campaigns.ts';
import { ended, planned } from '../samples/plans.ts';
import { longest, wordy } from '../samples/texts.ts';
import { ago, hour, now } from '../samples/times.ts';

const state = { campaign: '7f3a9c21', channel: undefined, attempt: 1 };
const later = now + 2 * hour;
const countries = { include: ['DE', 'FR', 'US'], exclude: ['MT'] };
const codes = searchCountries('').map(({ code }) => code);
const everywhere = { include: codes.slice(0, 140), exclude: codes.slice(140, 152) };
const waitSentence = 'The marketplace allows the next change of countries in 2 hours. Nothing was changed.';

function atItsEnd(end: Parameters<typeof ended>[0]): Drawn {
  const message = endedMessage(ended(end));
  if (message === undefined) throw new Error('This plan has ended.');
  return message;
}

export const campaignChanges = [
  ...entriesOf('Restart', restartView, {
    'How many positions': () => restartView({ campaign: finished, state }),
    'After a refusal, as last seen': () =>
      restartView({
        campaign: finished,
        state,
        positions: 5,
        lastSeen: ago(hour),
        problem: '*Not restarted.* The account has not enough money.',
      }),
    'Not finished yet': () => restartView({ campaign: campaign(), state }),
    'Everything as long as it comes': () => restartView({ campaign: largest, state, problem: wordy() }),
  }),
  ...entriesOf('Restart', [restartSendingView, sendingView], { Sending: () => restartSendingView() }),
  ...entriesOf('Restart', [restartNoteView, noteView], {
    Restarted: () => restartNoteView(restartedSentence(finished, 23)),
    'Not known whether restarted': () => restartNoteView(restartUnsureSentence(finished, 23)),
  }),
  ...entriesOf('Retarget', retargetView, {
    'Which countries': () => retargetView({ campaign: campaign(), state }),
    'Countries are described in words': () =>
      retargetView({ campaign: campaign({ targetedCountries: 'west1 (Western Europe)' }), state }),
    'Refused until later': () =>
      retargetView({
        campaign: campaign(),
        state,
        countries,
        problem: { about: 'both', text: waitSentence, offer: thenOffer('7f3a9c21', countries, later) },
      }),
    'A wrong exclude': () =>
      retargetView({
        campaign: campaign(),
        state,
        countries,
        lastSeen: ago(hour),
        problem: { about: 'exclude', text: 'MT is excluded already.' },
      }),
    'Too many countries': () => retargetView({ campaign: largest, state, countries: everywhere }),
  }),
  ...entriesOf('Retarget', retargetSendingView, { Sending: () => retargetSendingView() }),
  ...entriesOf('Retarget', retargetNoteView, {
    'Countries changed': () => retargetNoteView(retargetedSentence(campaign(), countries)),
    'Not known whether changed': () => retargetNoteView(retargetUnsureSentence(campaign(), countries)),
  }),
  ...entriesOf('Retarget', refusedMessage, {
    'Refused until later, after a command': () =>
      refusedMessage(waitSentence, thenOffer('7f3a9c21', countries, later)),
  }),
  ...entriesOf('Retarget', plannedMessage, {
    'Nothing is planned': () => plannedMessage([]),
    'One change is planned': () => plannedMessage([planned]),
    'Many are planned, one was cancelled': () =>
      plannedMessage(
        Array.from({ length: 30 }, () => ({ ...planned, title: longest() })),
        cancelledSentence(planned),
      ),
  }),
  ...entriesOf('Retarget', plannedView, { 'The change is planned': () => plannedView(planned) }),
  ...entriesOf('Retarget', endedMessage, {
    'The planned change was made': () => atItsEnd({ kind: 'done' }),
    'The planned change: not known': () => atItsEnd({ kind: 'unsure' }),
    'The planned change was refused again': () =>
      atItsEnd({ kind: 'refused', sentence: waitSentence, nextAt: later }),
  }),
  ...entriesOf('Retarget', notice, { 'Change cancelled': () => notice(cancelledSentence(planned)) }),
];
