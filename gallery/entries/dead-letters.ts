import {
  type DeadLetterRow,
  deadLettersMessage,
  discarded,
  type FailingRow,
  ofTask,
} from '../../src/features/ops/failed-jobs.view.ts';
import { entriesOf } from '../entry.ts';
import { account } from '../samples/people.ts';
import { hostile, longest } from '../samples/texts.ts';
import { ago, day, hour } from '../samples/times.ts';

const letters: readonly DeadLetterRow[] = [
  {
    key: 'send/1',
    name: 'send',
    of: ofTask('Photograph a shelf', 'quang_42'),
    reason: 'The marketplace answered 500',
    at: ago(hour),
  },
  { key: 'card/2', name: 'card', of: ofTask(hostile, hostile), reason: 'channel_not_found', at: ago(day) },
  { key: 'announce/3', name: 'show', of: '', reason: hostile, at: ago(3 * day) },
];

const failing: readonly FailingRow[] = [
  {
    name: 'card',
    of: ofTask('Photograph a shelf', 'quang_42'),
    reason: 'chat.postMessage: something_new',
    since: ago(hour),
  },
  { name: 'show', of: '', reason: hostile, since: ago(day) },
];

const first = { account, page: 0 };

export const deadLetters = [
  ...entriesOf('Failed actions', deadLettersMessage, {
    'Nothing failed': () => deadLettersMessage([], [], first),
    'One action': () => deadLettersMessage(letters.slice(0, 1), [], first),
    'Some, after one was discarded': () => deadLettersMessage(letters, failing, first, discarded),
    'Nothing failed for good': () => deadLettersMessage([], failing.slice(0, 1), first),
    'Many, everything as long as it comes': () =>
      deadLettersMessage(
        Array.from({ length: 40 }, (_, index) => ({
          key: `x/${index}`,
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
        { account, page: 4 },
      ),
  }),
];
