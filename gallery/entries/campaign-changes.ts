import { CampaignId } from '../../src/domain/terms.ts';
import {
  campaignFormView,
  resultView,
  sendingView,
} from '../../src/features/campaigns/campaign-form.view.ts';
import { searchCountries } from '../../src/features/campaigns/countries.ts';
import {
  restartedText,
  restartForm,
  restartUnknownText,
  restartView,
} from '../../src/features/campaigns/restart/restart.view.ts';
import {
  retargetedText,
  retargetForm,
  retargetUnknownText,
  retargetView,
} from '../../src/features/campaigns/retarget/retarget.view.ts';
import {
  canceledText,
  endMessage,
  plannedInFormText,
  plannedText,
  planOffer,
  plansMessage,
  refusedMessage,
} from '../../src/features/campaigns/retarget/retarget-planner.view.ts';
import { notice } from '../../src/slack/notice.ts';
import { type Drawn, entriesOf } from '../entry.ts';
import { campaign, finished, largest } from '../samples/campaigns.ts';
import { ended, planned } from '../samples/plans.ts';
import { longest, wordy } from '../samples/texts.ts';
import { ago, hour, now } from '../samples/times.ts';

const id = CampaignId.parse('7f3a9c21');
const state = { campaign: id, channel: undefined, attempt: 1 };
const later = now + 2 * hour;
const countries = { include: ['DE', 'FR', 'US'], exclude: ['MT'] };
const codes = searchCountries('').map(({ code }) => code);
const everywhere = { include: codes.slice(0, 140), exclude: codes.slice(140, 152) };
const waitSentence = 'The marketplace allows the next change of countries in 2 hours. Nothing was changed.';

function atItsEnd(end: Parameters<typeof ended>[0]): Drawn {
  const message = endMessage(ended(end));
  if (message === undefined) throw new Error('This plan has ended.');
  return message;
}

export const campaignChanges = [
  ...entriesOf('Restart', [restartView, campaignFormView], {
    'How many positions': () => restartView({ campaign: finished, state }),
    'After a refusal, as last seen': () =>
      restartView({
        campaign: finished,
        state,
        input: 5,
        lastSeen: ago(hour),
        problem: '*Not restarted.* The account has not enough money.',
      }),
    'Another number: what it costs': () =>
      restartView({ campaign: finished, state, input: 2_400, isConfirming: true }),
    'Not finished yet': () => restartView({ campaign: campaign(), state }),
    'Everything as long as it comes': () => restartView({ campaign: largest, state, problem: wordy() }),
  }),
  ...entriesOf('Restart', sendingView, { Sending: () => sendingView(restartForm) }),
  ...entriesOf('Restart', resultView, {
    Restarted: () => resultView(restartForm, restartedText(finished, 23)),
    'Not known whether restarted': () => resultView(restartForm, restartUnknownText(finished, 23)),
  }),
  ...entriesOf('Retarget', [retargetView, campaignFormView], {
    'Which countries': () => retargetView({ campaign: campaign(), state }),
    'Countries are described in words': () =>
      retargetView({ campaign: campaign({ targetedCountries: 'west1 (Western Europe)' }), state }),
    'Refused until later': () =>
      retargetView({
        campaign: campaign(),
        state,
        input: countries,
        problem: { field: 'both', text: waitSentence, offer: planOffer(id, countries, later) },
      }),
    'A wrong exclude': () =>
      retargetView({
        campaign: campaign(),
        state,
        input: countries,
        lastSeen: ago(hour),
        problem: { field: 'exclude', text: 'MT is excluded already.' },
      }),
    'Too many countries': () => retargetView({ campaign: largest, state, input: everywhere }),
  }),
  ...entriesOf('Retarget', sendingView, { Sending: () => sendingView(retargetForm) }),
  ...entriesOf('Retarget', resultView, {
    'Countries changed': () => resultView(retargetForm, retargetedText(campaign(), countries)),
    'Not known whether changed': () => resultView(retargetForm, retargetUnknownText(campaign(), countries)),
  }),
  ...entriesOf('Retarget', refusedMessage, {
    'Refused until later, after a command': () =>
      refusedMessage(waitSentence, planOffer(id, countries, later)),
  }),
  ...entriesOf('Retarget', plansMessage, {
    'Nothing is planned': () => plansMessage([]),
    'One change is planned': () => plansMessage([planned]),
    'Many are planned, one was canceled': () =>
      plansMessage(
        Array.from({ length: 30 }, () => ({ ...planned, title: longest() })),
        canceledText(planned),
      ),
  }),
  ...entriesOf('Retarget', resultView, {
    'The change is planned': () => resultView(retargetForm, plannedInFormText(planned)),
  }),
  ...entriesOf('Retarget', endMessage, {
    'The planned change was made': () => atItsEnd({ kind: 'done' }),
    'The planned change: not known': () => atItsEnd({ kind: 'unsure' }),
    'The planned change was refused again': () =>
      atItsEnd({ kind: 'refused', sentence: waitSentence, nextAt: later }),
  }),
  ...entriesOf('Retarget', notice, {
    'The change is planned, after a command': () => notice(plannedText(planned)),
    'Change canceled': () => notice(canceledText(planned)),
  }),
];
