import { backlogSummary } from '../../src/features/backlog/backlog.view.ts';
import {
  noAnswer,
  noKey,
  pollingResumed,
  pollingStopped,
  slackOutageOver,
} from '../../src/features/polling/polling.view.ts';
import { entriesOf } from '../entry.ts';
import { account } from '../samples/people.ts';
import { hostile } from '../samples/texts.ts';
import { ago, hour } from '../samples/times.ts';

export const polling = [
  ...entriesOf('New tasks', backlogSummary, {
    'Backlog: many': () => backlogSummary(account, 1_234, 10),
    'Backlog: one more': () => backlogSummary(account, 1, 10),
    'Backlog: none': () => backlogSummary(account, 0, 10),
  }),
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
    'Slack works again': () => slackOutageOver(ago(3 * hour), ago(hour), { posted: 12, updated: 1 }),
  }),
];
