import {
  noAnswer,
  noKey,
  pollingResumed,
  pollingStopped,
  readAgain,
  readIncomplete,
  resultsOf,
  shortfallText,
  slackOutageOver,
} from '../../src/features/polling/polling.view.ts';
import { notice } from '../../src/slack/blocks.ts';
import { entriesOf } from '../entry.ts';
import { hostile } from '../samples/texts.ts';
import { ago, hour } from '../samples/times.ts';

export const polling = [
  ...entriesOf('New tasks', pollingStopped, {
    'The marketplace does not answer': () => pollingStopped(noAnswer, ago(hour), 3),
    'Nobody holds a key': () => pollingStopped(noKey, ago(hour), 0),
    'A hostile reason': () => pollingStopped(hostile, ago(hour), 1),
  }),
  ...entriesOf('New tasks', pollingResumed, {
    'The marketplace answers again': () => pollingResumed(ago(3 * hour), ago(hour)),
  }),
  ...entriesOf('New tasks', slackOutageOver, {
    'Slack works again': () => slackOutageOver(ago(3 * hour), ago(hour)),
  }),
  ...entriesOf('New tasks', readIncomplete, {
    'Results end too early': () =>
      readIncomplete(
        resultsOf('Photo of a shelf'),
        'they end in the middle of a row, and have 120 of 400 tasks',
      ),
    'Results: a hostile title': () => readIncomplete(resultsOf(hostile), hostile),
    'Results contradict the tasks': () => readIncomplete(resultsOf('Photo of a shelf'), undefined),
    'The list of campaigns lacks some': () =>
      readIncomplete(
        'list of campaigns',
        shortfallText('campaigns', { read: 11, expected: 12, unreadable: [] }),
      ),
    'Some campaigns cannot be read': () =>
      readIncomplete(
        'list of campaigns',
        shortfallText('campaigns', {
          read: 5,
          expected: 12,
          unreadable: [
            `${hostile} (c0ffee01)`,
            ...['2', '3', '4', '5', '6', '7'].map((id) => `decade0${id}`),
          ],
        }),
      ),
  }),
  ...entriesOf('New tasks', notice, {
    'Five messages cannot be read': () =>
      notice(shortfallText('messages', { read: 0, expected: 5, unreadable: ['1', '2', '3', '4', '5'] })),
  }),
  ...entriesOf('New tasks', readAgain, {
    'Results are complete again': () => readAgain(resultsOf('Photo of a shelf'), ago(3 * hour)),
  }),
];
