import {
  type DeadLetterRow,
  deadLettersMessage,
  discarded,
  type FailingRow,
} from '../../src/features/ops/failed-jobs.view.ts';
import { entriesOf } from '../entry.ts';
import { hostile, longest } from '../samples/texts.ts';
import { ago, day, hour } from '../samples/times.ts';

const letters: readonly DeadLetterRow[] = [
  {
    key: 'send/1',
    name: 'send',
    task: { campaignTitle: 'Photograph a shelf', worker: 'quang_42' },
    reason: 'The marketplace answered 500',
    at: ago(hour),
  },
  { key: 'card/2', name: 'card', task: { worker: hostile }, reason: 'channel_not_found', at: ago(day) },
  { key: 'announce/3', name: 'show', reason: hostile, at: ago(3 * day) },
];

const failing: readonly FailingRow[] = [
  {
    name: 'card',
    task: { campaignTitle: 'Photograph a shelf', worker: 'quang_42' },
    reason: 'chat.postMessage: something_new',
    since: ago(hour),
  },
  { name: 'show', reason: hostile, since: ago(day) },
];

export const deadLetters = [
  ...entriesOf('Failed actions', deadLettersMessage, {
    'Nothing failed': () => deadLettersMessage([], [], 0),
    'One action': () => deadLettersMessage(letters.slice(0, 1), [], 0),
    'Some, after one was discarded': () => deadLettersMessage(letters, failing, 0, discarded),
    'Nothing failed for good': () => deadLettersMessage([], failing.slice(0, 1), 0),
    'Many, everything as long as it comes': () =>
      deadLettersMessage(
        Array.from({ length: 40 }, (_, index) => ({
          key: `x/${index}`,
          name: 'send',
          task: { campaignTitle: longest(), worker: longest() },
          reason: longest(),
          at: ago(day),
        })),
        Array.from({ length: 40 }, () => ({
          name: 'card' as const,
          task: { campaignTitle: longest(), worker: longest() },
          reason: longest(),
          since: ago(day),
        })),
        4,
      ),
  }),
];
