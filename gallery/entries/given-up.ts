import { discarded, type GivenUpLine, givenUpMessage } from '../../src/features/given-up/given-up.view.ts';
import { entriesOf } from '../entry.ts';
import { hostile, wordy } from '../samples/texts.ts';
import { ago, day, hour } from '../samples/times.ts';

const lines: readonly GivenUpLine[] = [
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

export const givenUp = [
  ...entriesOf('Failed work', givenUpMessage, {
    'Nothing failed': () => givenUpMessage([]),
    'One piece': () => givenUpMessage(lines.slice(0, 1)),
    'Some, after one was discarded': () => givenUpMessage(lines, discarded),
    'Many, everything as long as it comes': () =>
      givenUpMessage(
        Array.from({ length: 40 }, (_, index) => ({
          key: `x/${index}`,
          name: 'send',
          campaignTitle: wordy(),
          reason: wordy(),
          at: ago(day),
        })),
      ),
  }),
];
