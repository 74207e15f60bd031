import {
  costView,
  failedText,
  notFinishedText,
  restartedText,
  restartForm,
  restartUnknownText,
  restartView,
  resultView,
  retargetedText,
  retargetForm,
  retargetUnknownText,
  retargetView,
  sendingView,
} from '../../src/features/campaigns/change.view.ts';
import { searchCountries } from '../../src/features/campaigns/countries.ts';
import { notice } from '../../src/slack/blocks.ts';
import { date } from '../../src/slack/mrkdwn.ts';
import { entriesOf } from '../entry.ts';
import { campaign, finished, largest } from '../samples/campaigns.ts';
import { restartRefusal } from '../samples/requests.ts';
import { longest, wordy } from '../samples/texts.ts';
import { ago, hour, now } from '../samples/times.ts';

const channel = undefined;
const countries = { include: ['DE', 'FR', 'US'], exclude: ['MT'] };
const codes = searchCountries('').map(({ code }) => code);
const everywhere = { include: codes.slice(0, 140), exclude: codes.slice(140, 152) };
const waitSentence = `The countries of this campaign were changed recently. They can be changed again from ${date(now + 2 * hour)}: try again then.`;

export const campaignChanges = [
  ...entriesOf('Restart', restartView, {
    'How many positions': () => restartView({ campaign: finished, channel }),
    'How many positions, as last seen': () =>
      restartView({ campaign: finished, channel, lastSeen: ago(hour) }),
    'After a refusal': () =>
      restartView({
        campaign: finished,
        channel,
        input: 5,
        problem: restartRefusal,
      }),
    'One accepted task is missing': () => restartView({ campaign: { ...finished, tasksOk: 119 }, channel }),
    'No accepted task is missing': () => restartView({ campaign: { ...finished, tasksOk: 120 }, channel }),
    'Everything as long as it comes': () => restartView({ campaign: largest, channel, problem: wordy() }),
  }),
  ...entriesOf('Restart', costView, {
    'Another number: what it costs': () => costView(finished, 2_400, { channel, mayRestart: true, id: 'a' }),
    'What it costs, for a reviewer': () => costView(finished, 2_400, { channel, mayRestart: false, id: 'a' }),
  }),
  ...entriesOf('Restart', sendingView, { Sending: () => sendingView(restartForm) }),
  ...entriesOf('Restart', resultView, {
    Restarted: () => resultView(restartForm, restartedText(finished, 23)),
    'Not known whether restarted': () => resultView(restartForm, restartUnknownText(finished, 23)),
  }),
  ...entriesOf('Restart', notice, { 'Not finished yet': () => notice(notFinishedText(campaign())) }),
  ...entriesOf('Retarget', retargetView, {
    'Which countries': () => retargetView({ campaign: campaign(), channel }),
    'Which countries, as last seen': () =>
      retargetView({ campaign: campaign(), channel, lastSeen: ago(hour) }),
    'A zone of countries, some excluded': () =>
      retargetView({ campaign: campaign({ targetedCountries: 'int', excludedCountries: 'BR' }), channel }),
    'All countries': () => retargetView({ campaign: campaign({ targetedCountries: '' }), channel }),
    'Countries are described in words': () =>
      retargetView({
        campaign: campaign({ targetedCountries: 'west1 (Western Europe)' }),
        channel,
      }),
    'Twelve countries, described with spaces': () =>
      retargetView({
        campaign: campaign({
          targetedCountries: codes.slice(0, 12).join(', '),
          excludedCountries: `${longest(400)}, XK`,
        }),
        channel,
      }),
    'As many as a select holds': () =>
      retargetView({
        campaign: campaign({ targetedCountries: codes.slice(0, 100).join(), excludedCountries: 'XK YY' }),
        channel,
      }),
    'Rejected until later': () =>
      retargetView({
        campaign: campaign(),
        channel,
        input: countries,
        problem: waitSentence,
      }),
    'A wrong exclude': () =>
      retargetView({
        campaign: campaign(),
        channel,
        input: countries,
        problem:
          'Some countries are not available in the zone of this campaign: MT. Remove them and try again.',
      }),
    'Too many countries': () => retargetView({ campaign: largest, channel, input: everywhere }),
  }),
  ...entriesOf('Retarget', sendingView, { Sending: () => sendingView(retargetForm) }),
  ...entriesOf('Retarget', resultView, {
    'Countries changed': () => resultView(retargetForm, retargetedText(campaign(), countries)),
    'Forty countries, and more excluded than are named': () =>
      resultView(
        retargetForm,
        retargetedText(campaign(), {
          include: codes.slice(0, 40),
          exclude: [longest(50), ...codes.slice(40, 80)],
        }),
      ),
    'More countries than are named': () =>
      resultView(retargetForm, retargetedText(campaign(), { include: codes.slice(0, 90), exclude: ['MT'] })),
    'Not known whether changed': () => resultView(retargetForm, retargetUnknownText(campaign(), countries)),
  }),
  ...entriesOf('Retarget', notice, {
    'Rejected until later, after a command': () =>
      notice(failedText(campaign(), '/campaign retarget 7f3a9c21 DE FR US -MT', waitSentence)),
    'Rejected until later, after a command as long as it comes': () =>
      notice(failedText(campaign(), `/campaign retarget ${'US '.repeat(600)}`, waitSentence)),
  }),
];
