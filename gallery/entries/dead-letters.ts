import {
  type DeadLetterRow,
  deadLettersMessage,
  discarded,
} from '../../src/features/dead-letters/dead-letters.view.ts';
import { entriesOf } from '../entry.ts';
import { hostile, longest } from '../samples/texts.ts';
import { ago, day, hour } from '../samples/times.ts';

const letters: readonly DeadLetterRow[] = [
  {
    key: 'send/1',
    name: 'send',
    campaignTitle: 'Photograph a shelf',
    reason: 'The marketplace answered 500',
    at: ago(hour),
  },
  { key: 'post/2', name: 'post', reason: 'channel_not_found', at: ago(day) },
  { key: 'announce/3', name: 'announce', reason: hostile, at: ago(3 * day) },
];

export const deadLetters = [
  ...entriesOf('Failed actions', deadLettersMessage, {
    'Nothing failed': () => deadLettersMessage([]),
    'One action': () => deadLettersMessage(letters.slice(0, 1)),
    'Some, after one was discarded': () => deadLettersMessage(letters, discarded),
    'Many, everything as long as it comes': () =>
      deadLettersMessage(
        Array.from({ length: 40 }, (_, index) => ({
          key: `x/${index}`,
          name: 'send',
          campaignTitle: longest(),
          reason: longest(),
          at: ago(day),
        })),
      ),
  }),
];
