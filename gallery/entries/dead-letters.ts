import {
  type DeadLetterRow,
  deadLettersMessage,
  type FailingRow,
  ofTask,
} from '../../src/features/ops/failed-jobs.view.ts';
import { entriesOf } from '../entry.ts';
import { account } from '../samples/people.ts';
import { hostile, longest } from '../samples/texts.ts';
import { ago, day, hour } from '../samples/times.ts';

const letters: readonly DeadLetterRow[] = [
  {
    name: 'send',
    of: ofTask('Photograph a shelf', 'quang_42'),
    reason: 'The marketplace answered 500',
    at: ago(hour),
  },
  { name: 'card', of: ofTask(hostile, hostile), reason: 'channel_not_found', at: ago(day) },
  { name: 'show', of: '', reason: hostile, at: ago(3 * day) },
];

const failing: readonly FailingRow[] = [
  {
    name: 'card',
    of: ofTask('Photograph a shelf', 'quang_42'),
    reason: 'chat.postMessage: something_new',
    since: ago(hour),
  },
  { name: 'show', of: '', reason: hostile, since: ago(day) },
  // One that is dropped when it fails for good.
  { name: 'poll', of: '', reason: 'timeout', since: ago(hour) },
];

export const deadLetters = [
  ...entriesOf('Failed actions', deadLettersMessage, {
    'Nothing failed': () => deadLettersMessage(account, [], []),
    'One action': () => deadLettersMessage(account, letters.slice(0, 1), []),
    'Some, after they were tried again': () => deadLettersMessage(account, letters, failing, 'retry'),
    'Nothing failed for good': () => deadLettersMessage(account, [], failing.slice(0, 1), 'discard'),
    'Many, everything as long as it comes': () =>
      deadLettersMessage(
        account,
        Array.from({ length: 40 }, () => ({
          name: 'send',
          of: ofTask(longest(), longest()),
          reason: longest(),
          at: ago(day),
        })),
        Array.from({ length: 40 }, () => ({
          name: 'card' as const,
          of: ofTask(longest(), longest()),
          reason: longest(),
          since: ago(day),
        })),
      ),
  }),
];
