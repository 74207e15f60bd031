import { backlogSummary } from '../../src/features/backlog/backlog.view.ts';
import { noAnswer, noKey, pollingResumed, pollingStopped } from '../../src/features/polling/polling.view.ts';
import { databaseEmptied } from '../../src/features/reconcile/recovery.view.ts';
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
    'The marketplace does not answer': () => pollingStopped(noAnswer),
    'Nobody holds a key': () => pollingStopped(noKey),
    'A hostile reason': () => pollingStopped(hostile),
  }),
  ...entriesOf('New tasks', pollingResumed, {
    'The marketplace answers again': () => pollingResumed(ago(3 * hour)),
  }),
  ...entriesOf('New tasks', databaseEmptied, {
    'The database was emptied': () => databaseEmptied(),
  }),
];
