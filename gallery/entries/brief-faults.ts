import { casesModal, mostCases } from '../../src/features/brief-faults/cases.view.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { task } from '../samples/tasks.ts';
import { hostile, longest, paragraph } from '../samples/texts.ts';

const card = 'https://sandbox.slack.com/archives/C01REVIEW/p1';
const campaignTitle = 'Photograph a shelf in your supermarket';
const reason = 'The picture is blurry or dark';
const refused = (id: string, text: string, comment: string) =>
  task({ id: asId(id), rating: 'NOK', comment, proof: { slots: text === '' ? [] : [text], files: [] } });

export const briefFaults = entriesOf('Campaigns', casesModal, {
  'Three workers got NOK for one reason': () =>
    casesModal({
      campaignTitle,
      reason,
      asked: { work: 'Photograph the shelf.', proofs: [' ', 'The price'], isPerSlot: true },
      cases: [
        { task: refused('a1', paragraph, 'We cannot read the price.'), card },
        { task: refused('a2', 'A shelf.', 'We cannot read the price.') },
        { task: refused('a3', ' ', '') },
      ],
    }),
  'More than are shown, with hostile texts': () =>
    casesModal({
      campaignTitle: hostile,
      reason: hostile,
      asked: undefined,
      cases: Array.from({ length: mostCases + 1 }, (_, index) => ({
        task: {
          ...refused(
            `a${index}`,
            index % 2 ? hostile : '&'.repeat(500),
            index % 2 ? '&'.repeat(500) : hostile,
          ),
          worker: { ...task().worker, name: longest() },
        },
        card,
      })),
    }),
  'Nothing of them is stored any more': () =>
    casesModal({ campaignTitle, reason, asked: undefined, cases: [] }),
});
