import { lookAlikeModal, mostShown } from '../../src/features/evidence/look-alike.view.ts';
import { entriesOf } from '../entry.ts';
import { alike, fullAlike, fullHistory, workerHistory } from '../samples/evidence.ts';
import { account } from '../samples/people.ts';
import { task } from '../samples/tasks.ts';
import { hostile, longest, paragraph } from '../samples/texts.ts';

const card = 'https://sandbox.slack.com/archives/C01REVIEW/p1';
const campaignTitle = 'Photograph a shelf in your supermarket';
const withText = (text: string) => task({ proof: { slots: [text], files: [] } });
const withPicture = (text: string, file: string) =>
  task({
    proof: {
      slots: [text],
      files: [{ index: 1, filename: 'shelf.png', contentType: 'image/png', size: 20_000 }],
    },
    pictures: [{ index: 1, file }],
  });

const alone = { account, task: task(), campaignTitle, connected: [], all: [], others: [] };
const nothingKnown = { campaigns: [], reasons: [] };

export const evidence = entriesOf('Evidence', lookAlikeModal, {
  'Three tasks look like one': () =>
    lookAlikeModal({
      task: withPicture(paragraph, 'F01LEFT'),
      account,
      campaignTitle,
      connected: [withText(paragraph), withText('b'), withText('c')],
      all: alike,
      worker: workerHistory,
      others: alike.map((one, index) => ({
        alike: one,
        campaignTitle,
        task:
          index === 0
            ? withPicture(paragraph, 'F02RIGHT')
            : withText(index === 1 ? paragraph.replace(/\w+/u, 'Nothing') : 'A text of their own.'),
        ...(index === 2 ? {} : { card }),
      })),
    }),
  'As many as are shown, with hostile texts': () =>
    lookAlikeModal({
      task: withText(hostile),
      account,
      campaignTitle: longest(),
      connected: [],
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
});
