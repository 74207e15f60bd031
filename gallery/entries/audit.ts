import { type AuditEntry, auditedActs } from '../../src/domain/audit.ts';
import {
  type AuditFilter,
  auditFilterView,
  auditMessage,
  fileSent,
  fileText,
} from '../../src/features/ops/audit.view.ts';
import { notice } from '../../src/slack/blocks.ts';
import { asId } from '../../test/harness/ids.ts';
import { entriesOf } from '../entry.ts';
import { account, ann, ben, reviewChannel } from '../samples/people.ts';
import { hostile, longest, rightToLeft } from '../samples/texts.ts';
import { minutesAgo } from '../samples/times.ts';

const campaign = asId<NonNullable<AuditEntry['campaign']>>('7f3a9c21');
const entry = (minutes: number, fields: Partial<AuditEntry> & Pick<AuditEntry, 'what'>): AuditEntry => ({
  at: minutesAgo(minutes),
  by: ann,
  how: 'click',
  ...fields,
});
const task = (minutes: number, fields: Partial<AuditEntry> & Pick<AuditEntry, 'what'>): AuditEntry =>
  entry(minutes, {
    campaign,
    task: asId('t1001'),
    round: 1,
    verdict: 'OK',
    rating: 'NOTRATED',
    comment: '',
    ...fields,
  });
const restart = entry(30, {
  what: 'restart',
  how: 'command',
  campaign,
  before: '16 positions',
  after: '20 positions',
  money: '1',
  stage: 'done',
  answer: 'OK',
});
const names = {
  campaign: 'Photograph a shelf in your supermarket',
  worker: 'ines_13',
  message: 'A question',
};
const shown = (...entries: readonly AuditEntry[]) => entries.map((one) => ({ entry: one, names }));
const list = (filter: AuditFilter = {}, pages: readonly string[] = []) => ({ account, filter, pages });

export const audit = [
  ...entriesOf('Audit', auditMessage, {
    'what was decided': () =>
      auditMessage(
        list(),
        shown(
          task(1, {
            what: 'applied',
            how: 'job',
            rating: 'OK',
            before: 'NOTRATED',
            money: '0.05',
            answer: 'OK',
            favorite: 'add',
          }),
          task(2, { what: 'decided', how: 'form', money: '0.05', favorite: 'add', comment: 'Very sharp' }),
          task(3, { what: 'undone', by: ben, member: ann }),
          entry(3, { what: 'undone', by: ben, member: ann }),
          { at: minutesAgo(3), what: 'applied', how: 'job', task: asId('t4'), verdict: 'OK' },
          task(4, { what: 'refused', how: 'job', answer: 'The campaign has ended.' }),
          task(5, { what: 'overtaken', how: 'job', rating: 'NOK' }),
          {
            at: minutesAgo(6),
            what: 'rated elsewhere',
            how: 'elsewhere',
            task: asId('t2'),
            campaign,
            rating: 'NOK',
          },
          { at: minutesAgo(7), what: 'came back', how: 'elsewhere', task: asId('t3'), campaign, round: 2 },
        ),
        '1763700000000-0',
      ),
    'ratings, and what became of them': () =>
      auditMessage(
        list(),
        (['applied', 'refused', 'overtaken', 'undone'] as const).map((what, index) => ({
          entry: task(index, { what: 'decided', comment: index === 0 ? '' : 'The photo is blurred.' }),
          names: {
            ...names,
            ...(index === 0 ? {} : { card: `https://example.slack.com/archives/C1/p${index}` }),
          },
          end: task(index, { what, rating: 'NOK', answer: 'The campaign has ended.' }),
        })),
      ),
    'what was changed at the marketplace, and how it ended': () =>
      auditMessage(list(), [
        { entry: { ...restart, stage: 'claimed' }, names },
        { entry: restart, names },
        { entry: { ...restart, stage: 'failed', answer: 'ONLY_FINISHED_CAMPAIGNS: It is not finished.' } },
        { entry: { ...restart, stage: 'unknown' } },
        {
          entry: entry(50, {
            what: 'exclude worker',
            worker: asId('9a41c7'),
            stage: 'done',
            answer: 'done',
          }),
        },
        { entry: entry(60, { what: 'trash message', message: asId('m17'), stage: 'done', answer: 'OK' }) },
      ]),
    'what was changed here': () =>
      auditMessage(
        list({}, ['1763700000000-0']),
        shown(
          entry(1, { what: 'subscribe', how: 'command', channel: reviewChannel, before: 'C02ELSEWHERE' }),
          entry(2, { what: 'disconnect', how: 'command', by: ben }),
          { at: minutesAgo(3), what: 'connect', how: 'setting' },
          {
            at: minutesAgo(4),
            what: 'channel lost',
            how: 'job',
            channel: reviewChannel,
            after: 'is_archived',
          },
        ),
      ),
    'roles and shared channels': () =>
      auditMessage(
        list(),
        shown(
          entry(1, { what: 'give role', how: 'form', member: ben, before: 'reviewer', after: 'manager' }),
          entry(2, { what: 'give role', how: 'form', channel: reviewChannel, after: 'reviewer' }),
          entry(3, { what: 'withdraw role', channel: reviewChannel, before: 'reviewer' }),
          entry(4, { what: 'ask for role', by: ben, after: 'reviewer' }),
          entry(5, { what: 'decline role', member: ben, before: 'reviewer' }),
          entry(7, { what: 'confirm shared channel', channel: reviewChannel }),
        ),
      ),
    'every act': () =>
      auditMessage(list(), shown(...auditedActs.slice(0, 30).map((what) => entry(1, { what })))),
    'every other act': () =>
      auditMessage(list(), shown(...auditedActs.slice(30).map((what) => entry(1, { what })))),
    'all filters, with nothing found down to a moment': () =>
      auditMessage(
        list({
          who: ben,
          what: 'restart',
          campaign,
          from: '2026-11-01',
          to: '2026-11-22',
        }),
        [],
        '1763700000000-0',
      ),
    'names that are as long as they come': () =>
      auditMessage(
        list({ campaign }),
        [
          { entry: restart, names: { campaign: hostile } },
          { entry: task(1, { what: 'applied' }), names: { campaign: longest(), worker: hostile } },
          { entry: entry(1, { what: 'trash message', message: asId('m17') }), names: { message: hostile } },
        ],
        undefined,
        hostile,
      ),
    'nothing yet': () => auditMessage(list(), []),
    'the longest texts': () =>
      auditMessage(
        list(),
        shown(
          ...Array.from({ length: 10 }, () =>
            task(1, {
              what: 'retarget',
              comment: longest(),
              before: longest(),
              after: longest(),
              answer: longest(),
            }),
          ),
        ),
      ),
    'other scripts': () => auditMessage(list(), shown(task(1, { what: 'decided', comment: rightToLeft }))),
  }),
  ...entriesOf('Audit', auditFilterView, {
    'filter, empty': () => auditFilterView({}, undefined, 'Europe/Berlin', ''),
    'filter, filled in': () =>
      auditFilterView(
        {
          who: ann,
          what: 'undone',
          campaign,
          from: '2026-11-01',
          to: '2026-11-22',
        },
        'Photograph a shelf in your supermarket',
        'Europe/Berlin',
        '',
      ),
  }),
  ...entriesOf('Audit', fileText, {
    'the file': () => notice(fileText(1_234, 50_000)),
    'the file with as many as it has at most': () => notice(fileText(50_000, 50_000)),
    'no file': () => notice(fileText(0, 50_000)),
    'where the file is': () => notice(fileSent),
  }),
];
