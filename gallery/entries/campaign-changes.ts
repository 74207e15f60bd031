import { CampaignId } from '../../src/domain/terms.ts';
import {
  campaignFormView,
  failedText,
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
import { notice } from '../../src/slack/notice.ts';
import { entriesOf } from '../entry.ts';
import { campaign, finished, largest } from '../samples/campaigns.ts';
import { wordy } from '../samples/texts.ts';
import { ago, hour } from '../samples/times.ts';

const id = CampaignId.parse('7f3a9c21');
const state = { campaign: id, channel: undefined, attempt: 1 };
const countries = { include: ['DE', 'FR', 'US'], exclude: ['MT'] };
const codes = searchCountries('').map(({ code }) => code);
const everywhere = { include: codes.slice(0, 140), exclude: codes.slice(140, 152) };
const waitSentence = 'The marketplace allows the next change of countries in 2 hours. Nothing was changed.';

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
        problem: { field: 'both', text: waitSentence },
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
  ...entriesOf('Retarget', notice, {
    'Refused until later, after a command': () =>
      notice(failedText(campaign(), '/campaign retarget 7f3a9c21 DE FR US -MT', waitSentence)),
  }),
];
