import type { AccountId } from '../../src/domain/terms.ts';
import { campaignOptions, chooseMessage, chooseView } from '../../src/features/campaigns/choose.view.ts';
import { listMessage, statusMessage, timeToRateView } from '../../src/features/campaigns/list.view.ts';
import { input, modal, plainText } from '../../src/slack/blocks.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { campaign, empty, finished, largest, many, manyLargest } from '../samples/campaigns.ts';
import { reviewChannel } from '../samples/people.ts';
import { hostile, longest } from '../samples/texts.ts';
import { ago, day, hour } from '../samples/times.ts';

const account = asId<AccountId>('default');
const first = { account, page: 0 };
const list = { campaigns: many, lastSeen: undefined };
const status = {
  campaign: campaign(),
  inCorrection: 0,
  waiting: { oldest: ago(day) },
  days: undefined,
};
const deadline = { campaign: campaign().id, origin: {} };
const ids = [150, 151].map((length) => campaign({ id: asId('f'.repeat(length)), title: `Shelf ${length}` }));
/** What Slack shows in the open select. */
const openSelect = (purpose: 'restart' | 'results') => {
  const more = Array.from({ length: 100 }, (_, at) => campaign({ id: asId(`more${at}`) }));
  const options = campaignOptions([campaign(), ...ids, finished, ...more], purpose);
  const select = { type: 'static_select' as const, placeholder: plainText('Choose a campaign'), options };
  return modal({
    callbackId: 'x',
    submit: 'Next',
    title: 'Campaign',
    blocks: [input('campaign', 'Campaign', select)],
  });
};
const filter = { account, filter: 'RUNNING', page: 0 } as const;

export const campaignLists = [
  ...entriesOf('Campaigns', listMessage, {
    'List: first page': () => listMessage(list, first),
    'List: last page': () => listMessage(list, { account, page: 99 }),
    'List: filtered': () => listMessage({ ...list, campaigns: many.slice(0, 2) }, filter),
    'List: nothing fits the filter': () => listMessage({ ...list, campaigns: [] }, filter),
    'List: one task waits': () =>
      listMessage({ ...list, campaigns: [campaign({ tasksNotRated: 1 })] }, first),
    'List: no campaigns': () => listMessage({ ...list, campaigns: [] }, first),
    'List: the marketplace cannot be reached': () =>
      listMessage({ campaigns: [campaign()], lastSeen: ago(hour) }, first),
    'List: two of one title': () =>
      listMessage({ ...list, campaigns: [campaign(), campaign({ id: asId('7w1n') })] }, first),
    'List: everything as long as it comes': () => listMessage({ ...list, campaigns: manyLargest }, first),
  }),
  ...entriesOf('Campaigns', chooseView, {
    'Choose for status': () => chooseView('status', reviewChannel),
    'Choose for restart': () => chooseView('restart', undefined),
    'Choose for retarget': () => chooseView('retarget', undefined),
    'Choose for results': () => chooseView('results', undefined),
  }),
  ...entriesOf('Campaigns', chooseMessage, {
    'Several match': () => chooseMessage(many, 'shelf', 'status'),
    'Several match: of one title': () =>
      chooseMessage([campaign(), campaign({ id: asId('7w1n'), availablePositions: 20 })], 'shelf', 'restart'),
    'Several match: of an id as long as a select holds': () =>
      chooseMessage(
        [135, 136].map((length) =>
          campaign({ id: asId('f'.repeat(length)), title: `Shelf ${length}`, tasksNotRated: 1 }),
        ),
        'shelf',
        'results',
      ),
    'Several match: everything as long as it comes': () => chooseMessage(manyLargest, longest(), 'restart'),
  }),
  ...entriesOf('Campaigns', modal, {
    'Choose for restart: finished ones first': () => openSelect('restart'),
    'Choose for results: in their order': () => openSelect('results'),
  }),
  ...entriesOf('Campaigns', timeToRateView, {
    'Deadline: not set': () => timeToRateView(campaign().title, undefined, deadline),
    'Deadline: set': () => timeToRateView(largest.title, 7, deadline),
  }),
  ...entriesOf('Campaigns', statusMessage, {
    'Status: running': () =>
      statusMessage({
        ...status,
        inCorrection: 1,
        days: 7,
        waiting: { oldest: ago(day), dueAt: Date.now() + day },
      }),
    'Status: no rating deadline is set': () => statusMessage(status),
    'Status: finished': () => statusMessage({ ...status, campaign: finished }),
    'Status: nothing yet': () => statusMessage({ ...status, campaign: empty }),
    'Status: reviewed by the marketplace, outdated': () =>
      statusMessage({
        ...status,
        campaign: campaign({ tasksNotRated: 0, tasksNotReviewed: 9 }),
        lastSeen: ago(hour),
      }),
    'Status: one waits, one is at the marketplace, more than there are positions': () =>
      statusMessage({
        ...status,
        campaign: campaign({ tasksNotRated: 1, tasksNotReviewed: 1, tasksOk: 299, speed: hostile }),
        done: 'Done.',
      }),
    'Status: everything as long as it comes': () => statusMessage({ ...status, campaign: largest }),
  }),
];
