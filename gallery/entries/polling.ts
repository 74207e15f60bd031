import {
  listIncomplete,
  listReadAgain,
  noAnswer,
  noKey,
  pollingResumed,
  pollingStopped,
  resultsBehind,
  resultsIncomplete,
  resultsReadAgain,
  slackOutageOver,
} from '../../src/features/polling/polling.view.ts';
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
    'The marketplace answers again': () =>
      pollingResumed({
        since: ago(3 * hour),
        until: ago(hour),
        tasks: 12,
        decisions: 1,
        rest: { campaigns: 0, decisions: 0 },
      }),
    'Something is still to come': () =>
      pollingResumed({
        since: ago(3 * hour),
        until: ago(hour),
        tasks: 1,
        decisions: 0,
        rest: { campaigns: 1, decisions: 2 },
      }),
  }),
  ...entriesOf('New tasks', slackOutageOver, {
    'Slack works again': () => slackOutageOver(ago(3 * hour), ago(hour), 13),
  }),
  ...entriesOf('New tasks', resultsIncomplete, {
    'Results end too early': () =>
      resultsIncomplete('Photo of a shelf', 'end in the middle of a row, and have 120 of 400 tasks'),
    'Results: a hostile title': () => resultsIncomplete(hostile, hostile),
  }),
  ...entriesOf('New tasks', resultsBehind, {
    'Results contradict the tasks': () => resultsBehind('Photo of a shelf'),
  }),
  ...entriesOf('New tasks', resultsReadAgain, {
    'Results are complete again': () => resultsReadAgain('Photo of a shelf', ago(3 * hour)),
  }),
  ...entriesOf('New tasks', listIncomplete, {
    'The list of campaigns lacks some': () =>
      listIncomplete('campaigns', { read: 11, expected: 12, unreadable: [] }),
    'Some campaigns cannot be read': () =>
      listIncomplete('campaigns', {
        read: 5,
        expected: 12,
        unreadable: [`${hostile} (c0ffee01)`, ...['2', '3', '4', '5', '6', '7'].map((id) => `decade0${id}`)],
      }),
    'The list of messages lacks some': () =>
      listIncomplete('messages', { read: 0, expected: 1, unreadable: ['f00d01'] }),
  }),
  ...entriesOf('New tasks', listReadAgain, {
    'The list of campaigns is complete again': () => listReadAgain('campaigns', ago(3 * hour)),
  }),
];
