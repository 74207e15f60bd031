import { expect } from 'vitest';
import { assignmentVersion } from '../../src/domain/assignment.ts';
import type { BulkRatingId } from '../../src/domain/bulk-rating.ts';
import { newSelection } from '../../src/domain/bulk-selection.ts';
import { comparedTask, postingsOf } from '../../src/domain/evidence/print.ts';
import { newFocus } from '../../src/domain/focus.ts';
import { money } from '../../src/domain/money.ts';
import type { TaskId, WorkerId } from '../../src/domain/terms.ts';
import { createAssignedNotices } from '../../src/store/assigned-notices.ts';
import { createBulkRatings } from '../../src/store/bulk-ratings.ts';
import { createBulkSelections } from '../../src/store/bulk-selections.ts';
import { createFocusSessions } from '../../src/store/focus-sessions.ts';
import { createReasons } from '../../src/store/reasons.ts';
import { createSpendingStore } from '../../src/store/spending.ts';
import { asId } from '../harness/ids.ts';
import { dayMs, rateTask, ref, workspace } from '../harness/retention-process.ts';
import { ann, audit, campaign, type RetentionWorld, type Rows, task } from '../harness/retention-world.ts';

const worker = asId<WorkerId>('w1');
const bulk = asId<BulkRatingId>('b1');
const reason = { verdict: 'NOK', name: 'Short', text: 'Too short', by: ann, at: 1 } as const;

/** Returns a value behind each row about an account. */
export function accountRows(w: RetentionWorld): Rows {
  const { afterRetention, deactivated, within } = w;
  const reasons = () => createReasons(w.redis());
  const bulkRatings = () => createBulkRatings(w.redis(), undefined, w.now);
  const step = () => audit.step(ref, { what: 'add reason', by: ann, how: 'form' });
  return {
    '{account}:task': [
      { plant: () => w.rated(), mark: /Amina|Kenya|203\.0\.113\.7|the proof/, ends: { afterRetention } },
    ],
    '{account}:files': [
      {
        async plant() {
          await w.rated();
          const claim = await w.bot().fetchedFiles.claim({ account: ref, task, round: 1, index: 1 }, ann);
          await claim?.posted();
        },
        mark: /U01ANN/,
        ends: { afterRetention },
      },
    ],
    '{account}:announcement': [
      {
        plant: () =>
          w.bot().announcements.apply(ref, asId('m1'), {
            type: 'listed',
            message: {
              id: asId('m1'),
              subject: 'From Amina',
              messageType: '',
              hasAttachment: false,
              sentAt: w.now(),
              unread: false,
            },
            announce: false,
          }),
        mark: /Amina/,
        ends: { afterRetention },
      },
    ],
    '{account}:workers': [
      {
        async plant() {
          await w.rated();
          const counts = { NOTREVIEWED: 0, NOTRATED: 0, OK: 0, NOK: 1, REVISE: 0 };
          await w
            .bot()
            .workers.storeCampaign(ref, campaign.id, new Map([[worker, { name: 'Amina', counts }]]));
        },
        mark: /Amina/,
        ends: { afterRetention },
      },
      { plant: () => w.rated(), mark: /:ratings:w1/, ends: { 'a year': within(365 * dayMs) } },
    ],
    '{account}:briefs': [
      {
        async plant() {
          await w.bot().briefs.storeDraftRows(ref, 'd1', new Map([['1', ['Corner Grocer']]]));
          const brief = { work: 'Visit {{shop}}.', proofs: ['A photo'], columns: ['shop'] };
          await w.bot().briefs.storeCreated(ref, campaign.id, brief, 'd1');
          await w.rated();
        },
        mark: /Corner Grocer/,
        ends: { afterRetention },
      },
    ],
    '{account}:reasons': [
      {
        plant: () => reasons().add(ref, 'r1', reason, step()),
        mark: /U01ANN/,
        ends: {
          removed: async () => {
            const saved = (await reasons().get(ref, 'r1')) ?? expect.fail('no reason');
            await reasons().remove(ref, saved, { by: ann, at: 2 }, step());
          },
        },
      },
    ],
    '{account}:refusals': [
      { plant: () => w.rated('r1'), mark: /w1/, ends: { '14 days': within(14 * dayMs), afterRetention } },
    ],
    '{account}:typed-text': [
      {
        async plant() {
          await w.rated();
          const typed = {
            text: 'Amina',
            verdict: 'NOK',
            form: w.now(),
            order: '',
            from: 'typed',
            at: w.now(),
          } as const;
          await w.bot().typedTexts.put(ref, { task, round: 1, member: ann, slot: 'reason' }, typed);
        },
        mark: /Amina/,
        ends: { '25 hours': within(25 * (dayMs / 24)), afterRetention, deactivated },
      },
    ],
    '{account}:notes': [
      {
        async plant() {
          await w.waiting();
          const note = { id: 'n1', text: 'Amina again', at: w.now(), by: ann, how: 'form' } as const;
          await w.bot().notes.leave(ref, task, note);
          await rateTask(w.bot(), task, w.now());
        },
        mark: /Amina/,
        ends: {
          afterRetention,
          deactivated,
          removed: () => w.bot().notes.remove(ref, task, 'n1', { by: ann, how: 'form' }),
        },
      },
    ],
    '{account}:evidence': [
      {
        async plant() {
          await w.rated();
          await w.bot().evidence.index.put(ref, task, postingsOf(comparedTask(await w.current())));
        },
        mark: /t1/,
        ends: { afterRetention },
      },
    ],
    '{account}:evidence-links': [
      {
        async plant() {
          await w.rated();
          const other = { ...(await w.current()), id: asId<TaskId>('t2') };
          await w.bot().evidence.link(ref, await w.current(), other, { kinds: ['same-text'] });
        },
        mark: /t1/,
        ends: { afterRetention },
      },
    ],
    '{account}:find': [
      {
        async plant() {
          await w.rated();
          const [record] = await w.bot().tasks.loadMany(ref, [task]);
          await w.bot().findIndex.put(ref, record ?? expect.fail('no record'), []);
        },
        mark: /:find:(?!tasks)/,
        ends: { afterRetention },
      },
    ],
    '{account}:spent': [
      {
        plant: () =>
          createSpendingStore(w.redis(), 'UTC').reserve(
            ref,
            { member: ann, budget: 'bonus', id: 'd1', at: w.now() },
            money('1'),
            undefined,
          ),
        mark: /U01ANN/,
        ends: { '3 days': within(3 * dayMs) },
      },
    ],
    '{account}:assignments': [
      {
        async plant() {
          await w.waiting();
          await w.apply({
            type: 'assigned',
            to: { member: ann },
            by: ann,
            how: 'click',
            at: w.now(),
            seen: '',
          });
        },
        mark: /U01ANN|t1/,
        ends: {
          rated: () => rateTask(w.bot(), task, w.now()),
          released: async () => {
            const seen = assignmentVersion((await w.current()).assignment);
            await w.apply({ type: 'assigned', by: ann, how: 'click', at: w.now(), seen });
          },
          deactivated,
        },
      },
    ],
    '{account}:window': [
      { plant: () => w.waiting(), mark: /t1/, ends: { decided: () => rateTask(w.bot(), task, w.now()) } },
    ],
    '{account}:reviewed': [{ plant: () => w.rated(), mark: /U01ANN/, ends: { '9 days': within(9 * dayMs) } }],
    '{account}:decided-by': [
      { plant: () => w.rated(), mark: /U01ANN/, ends: { '30 days': within(30 * dayMs), deactivated } },
    ],
    '{account}:focus': [
      {
        plant: () =>
          createFocusSessions(w.redis()).create(
            ref,
            newFocus({ id: 'f1', member: ann, filter: { label: '' } }),
          ),
        mark: /U01ANN/,
        ends: { '12 hours': within(12 * (dayMs / 24)) },
      },
    ],
    '{account}:bulk': [
      {
        plant: () =>
          createBulkSelections(w.redis()).create(
            ref,
            newSelection({ id: 'b1', member: ann, at: w.now(), filter: { label: '' } }),
          ),
        mark: /U01ANN/,
        ends: { '12 hours': within(12 * (dayMs / 24)), deactivated },
      },
    ],
    '{account}:bulk-rating': [
      {
        async plant() {
          const rating = {
            id: bulk,
            member: ann,
            team: workspace,
            at: w.now(),
            verdict: 'OK',
            text: '',
          } as const;
          await bulkRatings().apply(ref, bulk, { type: 'confirmed', rating: { ...rating, items: [] } });
          await bulkRatings().apply(ref, bulk, { type: 'results', run: 1, results: new Map(), at: w.now() });
        },
        mark: /U01ANN/,
        ends: { '3 days': () => bulkRatings().removeEnded(ref, w.now() + 1) },
      },
    ],
    '{account}:assigned-notice': [
      {
        plant: () =>
          createAssignedNotices(w.redis()).apply(ref, ann, {
            type: 'counted',
            member: ann,
            channel: asId('D01ANN'),
            counts: { count: 1, late: 0, within: [], first: [] },
            news: [{ number: 1, by: ann, task }],
            paceMs: 0,
            at: w.now(),
          }),
        mark: /U01ANN/,
        ends: { deactivated },
      },
    ],
  };
}
