import { backlogNotice } from '../../src/features/backlog/backlog.view.ts';
import { cannotLook, looksAgain, noAnswer, noKey } from '../../src/features/detect/detect.view.ts';
import { entriesOf } from '../entry.ts';
import { account } from '../samples/people.ts';
import { hostile } from '../samples/texts.ts';
import { ago, hour } from '../samples/times.ts';

export const detect = [
  ...entriesOf('New tasks', backlogNotice, {
    'Backlog: many': () => backlogNotice(account, 1_234, 10),
    'Backlog: one more': () => backlogNotice(account, 1, 10),
    'Backlog: none': () => backlogNotice(account, 0, 10),
  }),
  ...entriesOf('New tasks', cannotLook, {
    'The marketplace does not answer': () => cannotLook(noAnswer),
    'Nobody holds a key': () => cannotLook(noKey),
    'A hostile reason': () => cannotLook(hostile),
  }),
  ...entriesOf('New tasks', looksAgain, { 'The marketplace answers again': () => looksAgain(ago(3 * hour)) }),
];
