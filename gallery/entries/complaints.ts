import { MessageId } from '../../src/domain/terms.ts';
import {
  lookEndedModal,
  lookedAlready,
  lookedModal,
  lookModal,
  ownDecision,
} from '../../src/features/complaints/look.view.ts';
import { aboutBlocks } from '../../src/features/shared/complaint.view.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { account, ann } from '../samples/people.ts';
import { task } from '../samples/tasks.ts';
import { hostile, longest, paragraph } from '../samples/texts.ts';
import { ago, hour } from '../samples/times.ts';

const card = 'https://sandbox.slack.com/archives/C01REVIEW/p1';
const campaignTitle = 'Photograph a shelf in your supermarket';
const refused = (text: string) =>
  task({ rating: 'NOK', comment: 'The price cannot be read.', proof: { slots: [text], files: [] } });
const message = MessageId.parse('m1');

export const complaints = [
  ...entriesOf('Complaints', lookModal, {
    'A refused task': () =>
      lookModal({
        state: '{}',
        linked: { task: refused(paragraph), campaignTitle, card },
        subject: 'About my refused task',
      }),
    'Hostile texts, no card': () =>
      lookModal({
        state: '{}',
        linked: { task: refused(longest()), campaignTitle: hostile },
        subject: hostile,
      }),
  }),
  ...entriesOf('Complaints', lookedModal, {
    'The rating is right': () => lookedModal(refused(paragraph), 'right', undefined),
    'The rating is wrong': () => lookedModal(refused(paragraph), 'wrong', undefined),
    'The rating is wrong, with the address of the website': () =>
      lookedModal(refused(paragraph), 'wrong', 'https://marketplace.example/tasks/{task}'),
  }),
  ...entriesOf('Complaints', lookEndedModal, {
    'A colleague was faster': () => lookEndedModal(lookedAlready(ann, 'wrong')),
    'Their own decision': () => lookEndedModal(ownDecision),
  }),
  ...entriesOf('Complaints', aboutBlocks, {
    'What a message is about': () => ({
      text: 'What a message is about',
      blocks: [
        ...aboutBlocks(
          account,
          message,
          {
            tasks: [
              { task: refused(paragraph), campaignTitle, card },
              {
                task: { ...refused(hostile), id: asId('t2') },
                campaignTitle: hostile,
                lookedAgain: { task: asId('t2'), by: ann, at: ago(hour), outcome: 'wrong' },
              },
            ],
          },
          true,
        ),
        ...aboutBlocks(account, message, { tasks: [], campaignTitle }, true),
      ],
    }),
  }),
];
