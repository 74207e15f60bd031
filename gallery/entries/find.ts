import { queryOf } from '../../src/domain/find/terms.ts';
import type { Task } from '../../src/domain/task.ts';
import { findModal, foundMessage, foundPerPage } from '../../src/features/find/find.view.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { account, ben } from '../samples/people.ts';
import { decision, files, task } from '../samples/tasks.ts';
import { hostile, longest, paragraph } from '../samples/texts.ts';
import { minutesAgo } from '../samples/times.ts';

const card = 'https://sandbox.slack.com/archives/C01REVIEW/p1';
const campaignTitle = 'Photograph a shelf in your supermarket';
const state = (text: string, pages: readonly number[] = []) => ({ account, text, pages: [...pages] });
const query = (text: string, seesAddresses = true) => queryOf(text, { seesAddresses });
const word = paragraph.split(/\s+/u)[2] ?? '';
let next = 0;
const one = (fields: Partial<Task>, notes: readonly string[] = []) => [
  {
    task: task({ id: asId(`b${next++}`), ...fields }),
    campaignTitle,
    notes: notes.map((text) => ({ id: 'n', text, at: minutesAgo(5), by: ben, how: 'click' }) as const),
  },
];
const wide = '😀'.repeat(60);
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
    'One each of what it may be, the last one of a second page': () =>
      foundMessage({
        state: state('tea', [900]),
        query: query('tea'),
        pending: 2,
        tasks: [
          ...one({
            rating: 'OK',
            submittedAt: minutesAgo(90),
            proof: { slots: [`tea ${longest(60)}`], files: [] },
          }),
          ...one({ decision: decision('waiting', { comment: 'tea' }) }),
          ...one({
            rating: 'NOTREVIEWED',
            proof: { slots: [], files: files.map((file) => ({ ...file, filename: `${longest(40)} tea` })) },
          }),
          ...one({ worker: { ...task().worker, name: longest(90) } }, ['no tea here']),
          ...one({ proof: { slots: [`${wide} tea ${wide}`], files: [] } }),
          ...one({ proof: { slots: [`x ${'y'.repeat(68)} tea ${'&'.repeat(69)}`], files: [] } }),
          ...one({ proof: { slots: ['tea'], files: [], finishedAt: minutesAgo(1) } }),
        ],
      }),
    'One is found': () =>
      foundMessage({
        state: state(word),
        query: query(word),
        pending: 0,
        tasks: one({ proof: { slots: [`${word} ${'&'.repeat(80)}`], files: [] } }),
      }),
    'No older one is found': () =>
      foundMessage({ state: state('tea', [900]), query: query('tea'), pending: 0, tasks: [] }),
    'Nothing is found': () =>
      foundMessage({ state: state(hostile.slice(0, 200)), query: query('x'), pending: 0, tasks: [] }),
    'Nothing yet, and older ones were not searched': () =>
      foundMessage({ state: state('the a'), query: query('the a'), pending: 1, older: 5, tasks: [] }),
  }),
  ...entriesOf('Find', findModal, { 'What to find': () => findModal() }),
];
