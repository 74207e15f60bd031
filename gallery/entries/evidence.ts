import type { Picture } from '../../src/domain/task.ts';
import { lookAlikeModal, mostShown } from '../../src/features/evidence/look-alike.view.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { alike, fullAlike, fullHistory, workerHistory } from '../samples/evidence.ts';
import { account } from '../samples/people.ts';
import { task } from '../samples/tasks.ts';
import { hostile, longest, paragraph } from '../samples/texts.ts';
import { minutesAgo } from '../samples/times.ts';

const card = 'https://sandbox.slack.com/archives/C01REVIEW/p1';
const campaignTitle = 'Photograph a shelf in your supermarket';
const withText = (text: string) => task({ proof: { slots: [text], files: [] } });
const file = { contentType: 'image/png', size: 20_000 };
const withPictures = (text: string, pictures: readonly Picture[]) =>
  task({
    proof: {
      slots: [text],
      files: [
        { ...file, index: 1, filename: 'shelf.png' },
        { ...file, index: 2, filename: 'till.png' },
      ],
      finishedAt: minutesAgo(90),
    },
    pictures,
  });
const print = 'A'.repeat(43);
/** The second has the bytes of a picture, and the print of another, that others have. */
const pictures = [
  { index: 1, file: 'F01LEFT', print: '8'.repeat(43) },
  { index: 2, file: 'F02LEFT', bytesHash: 'same', print },
];
const theirs: readonly (readonly Picture[])[] = [
  [
    { index: 1, file: 'F01RIGHT', print: 'z'.repeat(43) },
    { index: 3, file: 'F03RIGHT', bytesHash: 'same' },
  ],
  [{ index: 1, print }],
];

const alone = { account, task: task(), campaignTitle, connected: [], all: [], others: [] };
const nothingKnown = { campaigns: [], reasons: [] };

export const evidence = entriesOf('Evidence', lookAlikeModal, {
  'Three tasks look like one': () =>
    lookAlikeModal({
      task: withPictures(paragraph, pictures),
      account,
      campaignTitle,
      connected: [{ ...task(), id: asId('a1'), rating: 'OK' }, withText('b')],
      all: alike,
      worker: workerHistory,
      others: alike.map((one, index) => ({
        alike: one,
        campaignTitle,
        task:
          index === 2
            ? { ...withText('A text of their own.'), submittedAt: minutesAgo(30) }
            : withPictures(
                index === 0 ? paragraph : paragraph.replace(/\w+/u, 'Nothing'),
                theirs[index] ?? [],
              ),
        ...(index === 2 ? {} : { card }),
      })),
    }),
  'As many as are shown, with hostile texts': () =>
    lookAlikeModal({
      task: withText(hostile),
      account,
      campaignTitle: longest(),
      connected: [{ ...task(), rating: 'OK' }],
      all: fullAlike,
      worker: fullHistory,
      others: fullAlike.slice(0, mostShown).map((one, index) => ({
        alike: one,
        campaignTitle: hostile,
        task: withText(index % 2 ? hostile : longest()),
        card,
      })),
    }),
  'Nothing is left': () => lookAlikeModal({ ...alone, worker: nothingKnown }),
  'Only the record of the worker': () => lookAlikeModal({ ...alone, worker: workerHistory }),
  'Only the record of a worker in seven campaigns': () =>
    lookAlikeModal({ ...alone, worker: { ...fullHistory, campaigns: fullHistory.campaigns.slice(0, 7) } }),
});
