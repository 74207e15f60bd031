import { queryOf } from '../../src/domain/find/terms.ts';
import { findModal, foundMessage, foundPerPage } from '../../src/features/find/find.view.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { account } from '../samples/people.ts';
import { task } from '../samples/tasks.ts';
import { hostile, longest, paragraph } from '../samples/texts.ts';

const card = 'https://sandbox.slack.com/archives/C01REVIEW/p1';
const campaignTitle = 'Photograph a shelf in your supermarket';
const state = (text: string, pages: readonly number[] = []) => ({ account, text, pages: [...pages] });
const query = (text: string, seesAddresses = true) => queryOf(text, { seesAddresses });
const word = paragraph.split(/\s+/u)[2] ?? '';
const found = (id: string, text: string) => task({ id: asId(id), proof: { slots: [text], files: [] } });

export const find = [
  ...entriesOf('Find', foundMessage, {
    'Two tasks, one without a card': () =>
      foundMessage({
        state: state(word),
        query: query(word),
        pending: 0,
        tasks: [
          { task: found('a1', paragraph), campaignTitle, notes: [], card },
          { task: found('a2', paragraph), campaignTitle, notes: [] },
        ],
      }),
    'A whole page of hostile texts, between two others, with an address': () =>
      foundMessage({
        state: state(longest().slice(0, 200), [900, 800]),
        query: query('203.0.113.7', false),
        pending: 1_200,
        older: 700,
        tasks: Array.from({ length: foundPerPage }, (_, index) => ({
          task: found(`a${index}`, index % 2 ? hostile : longest()),
          campaignTitle: index % 2 ? hostile : longest(),
          notes: [],
          ...(index > 3 ? { card } : {}),
        })),
      }),
    'Nothing is found': () =>
      foundMessage({ state: state(hostile.slice(0, 200)), query: query('x'), pending: 0, tasks: [] }),
    'Nothing yet, and older ones were not searched': () =>
      foundMessage({ state: state('the a'), query: query('the a'), pending: 1, older: 5, tasks: [] }),
  }),
  ...entriesOf('Find', findModal, { 'What to find': () => findModal() }),
];
