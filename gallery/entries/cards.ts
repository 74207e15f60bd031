import { mostAlike } from '../../src/domain/evidence/likeness.ts';
import { linksIn } from '../../src/domain/evidence/texts.ts';
import type { Rating, TaskId, WorkerId } from '../../src/domain/terms.ts';
import { noTasks } from '../../src/domain/worker.ts';
import {
  type CardData,
  supersededCard,
  taskCard,
  unchangeableCard,
} from '../../src/features/cards/card.view.ts';
import { type DetailsData, detailsModal, wholeProof } from '../../src/features/cards/modals.view.ts';
import { noAnswer } from '../../src/features/decide/decide.view.ts';
import type { AlikeTask } from '../../src/store/evidence.ts';
import { instructionsModal, linksModal } from '../../src/ui/proof.view.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { alike, fullAlike, fullHistory, workerHistory } from '../samples/evidence.ts';
import { fullNotes, notes } from '../samples/notes.ts';
import { account, ann, ben, chloe } from '../samples/people.ts';
import {
  asked,
  askedOfRow,
  askedPerSlot,
  before,
  cardOf,
  decision,
  files,
  largestTask,
  sixPictures,
  task,
} from '../samples/tasks.ts';
import { hostile, longest, paragraph, rightToLeft, unbroken } from '../samples/texts.ts';
import { minutesAgo } from '../samples/times.ts';

const newer = 'https://sandbox.slack.com/archives/C01REVIEW/p1';
const problem = { text: 'The marketplace has paused the campaign, so it takes no ratings.' };
const taken = { to: ben, by: ben, at: minutesAgo(9) };
const details = (data: Partial<DetailsData>) =>
  detailsModal({ account, member: ann, task: task(), campaignTitle: 'Photograph a shelf', ...data });
const draw = (of: CardData) => () => taskCard(of);

const filePdf = { index: 1, filename: '', contentType: 'application/pdf', size: 84_220 };

/** A task that came back corrected. */
const corrected = task({ round: 2, before, proof: { slots: [paragraph, 'Whole shelf now.'], files: [] } });

const open = entriesOf('Cards', taskCard, {
  'Open: new task': draw(cardOf(task())),
  'Open: three proofs and files': draw(
    cardOf(task({ proof: { slots: [paragraph, 'AB-4471', unbroken], files, finishedAt: Date.now() } })),
  ),
  'Open: asked per slot, one left empty': draw(
    cardOf(
      task({
        proof: { slots: ['Corner Grocer, High Street 1', 'Green tea'], slotNumbers: [1, 3], files: [] },
      }),
      {
        asked: askedPerSlot,
      },
    ),
  ),
  'Open: the values of the row are not known': draw(cardOf(task({ csvRow: '17' }), { asked: askedOfRow })),
  'Open: several slots, asked as a whole': draw(
    cardOf(task({ proof: { slots: ['Corner Grocer', 'https://photos.example/shelf.jpg'], files: [] } })),
  ),
  'Open: three of six pictures': draw(cardOf(sixPictures)),
  'Open: pictures that could not be shown': draw(
    cardOf({ ...sixPictures, pictures: [], proof: { ...sixPictures.proof, filesWarning: 'VIRUS FOUND' } }),
  ),
  'Open: a colleague has taken it': draw(
    cardOf(task({ assignment: { to: ben, by: ben, at: minutesAgo(5) } })),
  ),
  'Open: due': draw(cardOf(task(), { dueAt: Date.now() + 86_400_000 })),
  'Open: looks like others': draw(cardOf(task(), { alike })),
  'Open: the record of its worker': draw(cardOf(task(), { worker: workerHistory })),
  'Open: looks like others, and the record of its worker': draw(
    cardOf(task(), { alike: fullAlike, worker: fullHistory }),
  ),
  'Open: looks like as many as are counted, the instructions again': draw(
    cardOf(task({ proof: { slots: [asked.work], files: [] } }), { asked, alike: fullAlike }),
  ),
  'Open: from the same address as another': draw(
    cardOf(task(), { alike: alike.slice(0, 1).map((one) => ({ ...one, kinds: ['same-address'] })) }),
  ),
  'Open: with notes': draw(cardOf(task(), { notes })),
  'Open: notes as long as they come': draw(cardOf(task(), { notes: fullNotes })),
  'Open: looks like one from the same network, with five files and a cut proof': draw(
    cardOf(
      task({
        proof: {
          slots: [longest(), 'B'],
          files: Array.from({ length: 5 }, (_, n) => ({ ...filePdf, index: n + 1, filename: `${n}.pdf` })),
        },
      }),
      { alike: alike.slice(1, 2) },
    ),
  ),
  'Open: only files': draw(cardOf(task({ proof: { slots: [], files } }))),
  'Open: pictures': draw(
    cardOf(
      task({
        proof: { slots: ['See the pictures.'], files },
        pictures: [
          { index: 1, file: 'F01LEFT' },
          { index: 2, file: 'F02RIGHT' },
        ],
      }),
    ),
  ),
  'Open: no proof at all, little is known': draw({
    account: asId('a'),
    campaignTitle: '',
    task: task({
      worker: { id: asId('9a41c7'), country: '', ip: '' },
      proof: { slots: [], files: [] },
      detailed: false,
    }),
  }),
  'Open: like a task that was paid': draw(
    cardOf(task(), {
      alike,
      twins: new Map(
        alike.map(({ task: id, worker }) => [
          id,
          { rating: 'OK', worker: { id: worker, name: 'bao_631', country: 'VN', ip: '' } },
        ]),
      ),
    }),
  ),
  'Open: corrected, second round': draw(cardOf(corrected, { earlierLink: newer })),
  'Open: corrected, with the same picture': draw(
    cardOf({
      ...corrected,
      before: { ...before, pictures: [{ index: 1, file: 'F00BEFORE', bytesHash: 'a' }] },
      pictures: [{ index: 1, file: 'F01LEFT', bytesHash: 'a' }],
    }),
  ),
  'Open: corrected, with one of two pictures unchanged': draw(
    cardOf({
      ...corrected,
      before: {
        ...before,
        pictures: [
          { index: 1, file: 'F00BEFORE', bytesHash: 'a' },
          { index: 2, file: 'F01BEFORE', bytesHash: 'b' },
        ],
      },
      pictures: [
        { index: 1, file: 'F01LEFT', bytesHash: 'a' },
        { index: 2, file: 'F02RIGHT', bytesHash: 'c' },
      ],
    }),
  ),
  'Open: most likely a correction': draw(
    cardOf(task({ before: { slots: before.slots, comment: '', likely: true } }), { earlierLink: newer }),
  ),
  'Open: right to left': draw(
    cardOf(
      task({
        worker: { id: asId('9a41c7'), name: 'سارة', country: 'مصر', ip: '2001:db8::7' },
        proof: { slots: [`${rightToLeft}\n${rightToLeft}`], files: [] },
      }),
      { campaignTitle: rightToLeft },
    ),
  ),
  'Open: hostile text everywhere': draw(
    cardOf(
      task({
        worker: { id: asId(hostile), name: hostile, country: hostile, ip: hostile },
        proof: { slots: [hostile.repeat(3), hostile], files: [] },
        before: { ...before, slots: [hostile], comment: hostile },
      }),
      { campaignTitle: hostile },
    ),
  ),
  'Open: everything as long as it comes': draw(cardOf(largestTask, { campaignTitle: longest() })),
});

const like = (number: number, kinds: AlikeTask['kinds'], minutes?: number): AlikeTask => ({
  ...{ task: asId(`b${number}`), worker: asId(`v${number}`), campaign: asId('c1'), kinds },
  ...(minutes === undefined ? {} : { travel: { countries: ['EG', 'GR'], minutes } }),
});
const twin = (number: number, rating: Rating, name: string) =>
  [
    asId<TaskId>(`b${number}`),
    { rating, worker: { id: asId<WorkerId>(`v${number}`), name, country: '', ip: '' } },
  ] as const;
const two = [like(1, ['same-text']), like(2, ['same-text'])];
const reasons = [3, 2, 2, 1].map((count) => ({ name: `Given ${count}`, verdict: 'NOK' as const, count }));
const none = { OK: 0, NOK: 0, REVISE: 0 };

const facts = entriesOf('Cards', taskCard, {
  'Open: like half of the most tasks, and like fewer': draw(
    cardOf(task(), {
      alike: Array.from({ length: mostAlike }, (_, n) =>
        like(n, [n < mostAlike / 2 ? 'same-text' : n < mostAlike - 1 ? 'same-code' : 'same-link']),
      ),
    }),
  ),
  'Open: like another in four ways': draw(
    cardOf(task(), { alike: [like(1, ['same-text', 'same-code', 'same-link', 'same-address'])] }),
  ),
  'Open: two travels at once': draw(
    cardOf(task(), { alike: [like(1, ['travel'], 9), like(2, ['travel'], 0)] }),
  ),
  'Open: a travel of a minute': draw(cardOf(task(), { alike: [like(1, ['travel'], 1)] })),
  'Open: like one that waits, and one that is rated': draw(
    cardOf(task(), {
      alike: two,
      twins: new Map([twin(1, 'NOTRATED', 'ines'), twin(2, 'REVISE', longest(90))]),
    }),
  ),
  'Open: like two that wait': draw(
    cardOf(task(), {
      alike: two,
      twins: new Map([twin(1, 'NOTRATED', longest(90)), twin(2, 'NOTREVIEWED', 'b')]),
    }),
  ),
  'Open: like another, and its worker was given three reasons': draw(
    cardOf(task(), { alike: two.slice(1), worker: { reasons } }),
  ),
  'Open: a reason that was given twice': draw(cardOf(task(), { worker: { reasons: reasons.slice(2) } })),
  'Open: files of a byte and of some more, with a long warning': draw(
    cardOf(
      task({
        proof: {
          slots: [],
          files: [1, 999, 1_000, 1_999].map((size, n) => ({ ...filePdf, index: n + 1, size })),
          filesWarning: longest(300),
        },
      }),
    ),
  ),
  'Open: one file alone': draw(cardOf(task({ proof: { slots: [], files: [filePdf] } }))),
  'Open: two answers beside a picture': draw(
    cardOf(
      task({
        proof: { slots: ['Corner Grocer', 'Green tea'], files: files.slice(0, 1) },
        pictures: [{ index: 1, file: 'F01LEFT' }],
      }),
    ),
  ),
  'Open: one answer to two questions': draw(
    cardOf(task(), { asked: { ...asked, proofs: ['The shop\nThe price'] } }),
  ),
  'Open: two answers to no question': draw(
    cardOf(task({ proof: { slots: ['a', 'b'], files: [] } }), { asked: { ...asked, proofs: [] } }),
  ),
  'Open: only the second answer': draw(
    cardOf(task({ proof: { slots: ['b'], slotNumbers: [2], files: [] } }), { asked: undefined }),
  ),
  'Open: corrected elsewhere, with the same text': draw(
    cardOf(task({ round: 2, before: { slots: [` ${paragraph} `], comment: ' ', askedElsewhere: true } })),
  ),
  'Open: corrected, with the same text': draw(
    cardOf(task({ round: 2, before: { ...before, slots: [paragraph] } })),
  ),
  'Open: the same text, and nobody has asked': draw(
    cardOf(task({ round: 2, before: { slots: [paragraph], comment: ' ' } })),
  ),
  'Open: corrected, with no text': draw(
    cardOf(task({ round: 2, before: { ...before, slots: [] }, proof: { slots: [], files } })),
  ),
  'Open: one note': draw(cardOf(task(), { notes: notes.slice(1) })),
  'Sending: it could not be undone, with an empty comment': draw(
    cardOf(task({ decision: decision('sending', { comment: ' ', dueAt: minutesAgo(2) }) })),
  ),
  ...Object.fromEntries(
    [
      { counts: { ...noTasks, REVISE: 1, NOTRATED: 1, NOTREVIEWED: 1 }, campaigns: 1 },
      { counts: { ...noTasks, OK: 1, REVISE: 2, NOTRATED: 2 }, campaigns: 2, here: none },
      { counts: { ...noTasks, NOTRATED: 2 }, campaigns: 1 },
      { counts: { ...noTasks, NOTRATED: 2 }, campaigns: 2, here: none },
      { counts: { ...noTasks, OK: 3 }, campaigns: 2, here: { ...none, OK: 1 } },
      { counts: noTasks, campaigns: 0 },
    ].map((record, n) => [`Open: record ${n + 1} of a worker`, draw(cardOf(task(), { record }))]),
  ),
});

const decided = entriesOf('Cards', taskCard, {
  'Waiting for undo: OK': draw(cardOf(task({ decision: decision('waiting') }))),
  'Waiting for undo: REVISE with a reason': draw(
    cardOf(
      task({
        decision: decision('waiting', { verdict: 'REVISE', comment: 'The price labels cannot be read.' }),
      }),
    ),
  ),
  'Sending: OK with bonus and favorite': draw(
    cardOf(
      task({ decision: decision('sending', { bonus: '0.10', favorite: 'add', comment: 'Great photos' }) }),
    ),
  ),
  'Held: the campaign is paused': draw(cardOf(task({ decision: decision('held', { problem }) }))),
  'Held: the marketplace does not answer': draw(
    cardOf(task({ decision: decision('held', { problem: { text: noAnswer } }) })),
  ),
  'A colleague undid the decision': draw(
    cardOf(task({ undoneBy: { by: ann, of: ben, verdict: 'NOK', at: minutesAgo(2) } })),
  ),
  'Rejected by the marketplace, open again': draw(
    cardOf(
      task({
        decision: decision('refused', {
          bonus: '0.90',
          problem: {
            text: 'The account’s balance is too low for the bonus. Leave it out, or add funds first.',
          },
        }),
      }),
    ),
  ),
  'Rated OK': draw(cardOf(task({ rating: 'OK', decision: decision('applied') }))),
  'Rated OK, whether a favorite is not known': draw(
    cardOf(task({ rating: 'OK', decision: decision('applied', { unprovenFavorite: 'remove' }) })),
  ),
  'Rated NOK': draw(
    cardOf(
      task({
        rating: 'NOK',
        proof: { slots: [paragraph], files },
        decision: decision('applied', {
          verdict: 'NOK',
          comment: 'The photo shows another product. It is from the internet.',
        }),
      }),
    ),
  ),
  'Rated, files not known, undone before, with a note': draw(
    cardOf(
      task({
        rating: 'OK',
        detailed: false,
        decision: decision('applied'),
        undoneBy: { by: ann, of: ben, verdict: 'NOK', at: minutesAgo(2) },
      }),
      { notes: notes.slice(0, 1) },
    ),
  ),
  'Rated REVISE': draw(
    cardOf(
      task({
        rating: 'REVISE',
        decision: decision('applied', { verdict: 'REVISE', by: chloe, comment: 'Show the whole shelf.' }),
      }),
    ),
  ),
  'Rated long ago, details no longer stored': draw(
    cardOf(
      task({
        rating: 'NOK',
        worker: { id: asId('9a41c7'), country: '', ip: '' },
        proof: { slots: [], files: [] },
        detailed: true,
        decision: decision('applied', { verdict: 'NOK' }),
        detailsRemovedAt: Date.now(),
      }),
    ),
  ),
  'Rated outside of Slack': draw(cardOf(task({ rating: 'NOK', comment: 'Wrong shop.' }))),
  'Rated outside of Slack before a decision was sent': draw(
    cardOf(task({ rating: 'NOK', comment: 'Wrong shop.', decision: decision('overtaken', { attempts: 0 }) })),
  ),
  'Rated outside of Slack, decision not taken': draw(
    cardOf(task({ rating: 'OK', decision: decision('overtaken', { verdict: 'NOK', attempts: 2 }) })),
  ),
  'In review by the marketplace': draw(cardOf(task({ rating: 'NOTREVIEWED', assignment: taken }))),
  'Submitted again before its rating was seen': draw(
    cardOf(task({ rating: 'REVISE', isRatingInferred: true })),
  ),
  'With a comment of the marketplace': draw(cardOf(task({ before: { slots: [], comment: 'Sharper' } }))),
  'Two pictures to open': draw(
    cardOf(task({ proof: { slots: ['x'], files: sixPictures.proof.files.slice(0, 2) } })),
  ),
  'Rated, corrected before': draw(
    cardOf({ ...corrected, rating: 'OK', decision: decision('applied') }, { earlierLink: newer }),
  ),
  'Rated: everything as long as it comes': draw(
    cardOf(
      {
        ...largestTask,
        decision: decision('held', {
          verdict: 'NOK',
          comment: longest(),
          bonus: '123456789.12345',
          favorite: 'remove',
          problem: { text: longest() },
        }),
      },
      { campaignTitle: longest(), earlierLink: newer },
    ),
  ),
});

export const cards = [
  ...open,
  ...facts,
  ...decided,
  ...entriesOf('Cards', supersededCard, {
    'Replaced by a newer card': () => supersededCard(cardOf(corrected), newer),
    'Replaced, link not known, hostile title': () =>
      supersededCard(cardOf(corrected, { campaignTitle: hostile }), undefined),
    'Replaced, with the same text': () =>
      supersededCard(cardOf(task({ round: 2, before: { ...before, slots: [paragraph] } })), newer),
  }),
  ...entriesOf('Cards', unchangeableCard, {
    'Too old to be changed': () =>
      unchangeableCard(cardOf(task({ rating: 'OK', decision: decision('applied') })), newer),
    'Too old to be changed, hostile': () =>
      unchangeableCard(
        cardOf(task({ rating: 'OK', decision: decision('applied', { comment: hostile }) }), {
          campaignTitle: hostile,
        }),
        undefined,
      ),
  }),
  ...entriesOf('Cards', instructionsModal, {
    Instructions: () => instructionsModal('Photograph a shelf', asked),
    'Instructions: per slot': () => instructionsModal('Photograph a shelf', askedPerSlot),
    'Instructions: the longest, hostile': () =>
      instructionsModal(longest(), {
        work: longest(30_000),
        proofs: [hostile, longest()],
        isPerSlot: true,
        row: hostile,
      }),
    'Instructions: one long question': () =>
      instructionsModal('Photograph a shelf', { ...asked, proofs: [longest(300)], isPerSlot: true }),
    'Instructions: nothing is known': () => instructionsModal('Photograph a shelf'),
  }),
  ...entriesOf('Cards', linksModal, {
    'Links of a proof': () =>
      linksModal(linksIn([`See www.shop.example/tea?id=7 and https://bank.example@evil.example/login.`])),
    'Links: the most and longest': () =>
      linksModal(
        linksIn(Array.from({ length: 20 }, (_, n) => `https://x${n}.example/${'&'.repeat(n * 100)}`)),
      ),
    'Links: one more than is shown': () =>
      linksModal(linksIn(Array.from({ length: 13 }, (_, n) => `https://x${n}.example`))),
    'Links: none any more': () => linksModal([]),
  }),
  ...entriesOf('Cards', detailsModal, {
    Details: () => details({ task: { ...corrected, rating: 'OK', csvRow: '17' } }),
    'Details: with notes': () => details({ notes }),
    'Details: a colleague has taken it': () => details({ task: task({ assignment: taken }) }),
    'Details: in review by the marketplace, once assigned, with a file of a card': () =>
      details({
        task: task({
          rating: 'NOTREVIEWED',
          assignment: taken,
          card: { state: 'posted', channel: asId('C01REVIEW'), ts: '1.1' },
          proof: { slots: [], files: [filePdf] },
        }),
      }),
    'Details: of a card without files': () =>
      details({ task: task({ card: { state: 'posted', channel: asId('C01REVIEW'), ts: '1.1' } }) }),
    'Details: little is known, with a card': () =>
      details({
        task: task({
          card: { state: 'posted', channel: asId('C01REVIEW'), ts: '1.1' },
          detailed: false,
          worker: { id: asId('9a41c7'), country: '', ip: '' },
          proof: { slots: [], files: [] },
        }),
      }),
    'Details: assigned to you, after Take over': () =>
      details({
        task: task({ assignment: { ...taken, to: ann } }),
        outcome: ':white_check_mark: Assigned to you.',
      }),
    'Details: assigned to a colleague, with links': () =>
      details({
        task: task({
          assignment: { ...taken, to: chloe },
          proof: { slots: ['https://shop.example/1'], files: [] },
        }),
      }),
    'Details: as long as it comes': () =>
      details({ task: largestTask, campaignTitle: longest(), notes: fullNotes }),
  }),
  ...entriesOf('Cards', wholeProof, {
    'Full proof': () =>
      wholeProof(
        task({ proof: { slots: [paragraph.repeat(8), paragraph], files: [] } }),
        'Photograph a shelf',
      ),
    ...Object.fromEntries(
      [30, 31].map((count) => [
        `Full proof: ${count} answers`,
        () => wholeProof(task({ proof: { slots: Array(count).fill('a'), files: [] } }), 'Photograph a shelf'),
      ]),
    ),
    'Full proof: too long for Slack': () => wholeProof(largestTask, longest()),
  }),
];
