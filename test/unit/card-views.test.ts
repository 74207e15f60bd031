import type { KnownBlock } from '@slack/types';
import { describe, expect, test } from 'vitest';
import { fullComment } from '../../gallery/samples/comments.ts';
import { money } from '../../src/domain/money.ts';
import type { Decision, DecisionState, Task } from '../../src/domain/task.ts';
import { type AccountId, ratings, verdicts } from '../../src/domain/terms.ts';
import { connectModal, connectPrompt, notConnected } from '../../src/features/accounts/accounts.view.ts';
import { type CardData, supersededCard, taskCard } from '../../src/features/cards/card.view.ts';
import { wholeProof } from '../../src/features/cards/proof.view.ts';
import { extrasModal, reasonModal } from '../../src/features/decide/decide.view.ts';
import { encodeIntent, type Intent } from '../../src/features/decide/intent.ts';
import { pollingResumed, pollingStopped } from '../../src/features/polling/polling.view.ts';
import { tooLate } from '../../src/features/shared/lost-race.view.ts';
import { severalCampaigns, subscribed } from '../../src/features/subscriptions/subscriptions.view.ts';
import { taskOfBlocks } from '../../src/slack/card-block.ts';
import { notice } from '../../src/slack/notice.ts';
import { asId } from '../harness/ids.ts';
import { expectGoodMessage, expectGoodView, hostile, longest } from './campaign-samples.ts';

const account = asId<AccountId>('a'.repeat(16));

function task(fields: Partial<Task> = {}): Task {
  return {
    id: asId('12e5'),
    campaign: asId('c1'),
    round: 1,
    rating: 'NOTRATED',
    comment: '',
    ratedAt: 0,
    worker: { id: asId('w1'), name: 'ines_13', country: 'France', ip: '203.0.113.77' },
    csvRow: '0',
    proof: { slots: ['The shelf of the corner shop'], files: [], finishedAt: Date.UTC(2026, 0, 5, 10) },
    detailed: true,
    card: { state: 'wanted' },
    revision: 1,
    ...fields,
  };
}

function decision(state: DecisionState, fields: Partial<Decision> = {}): Decision {
  return {
    id: 'd1',
    by: asId('U09ZOE'),
    verdict: 'OK',
    comment: '',
    at: Date.UTC(2026, 0, 5, 11),
    state,
    attempts: 1,
    ...(state === 'waiting' || state === 'sending' || state === 'held'
      ? { dueAt: Date.UTC(2026, 0, 5, 11, 1) }
      : {}),
    ...fields,
  };
}

const data = (of: Task, title = 'Photo of a shelf'): CardData => ({
  account,
  task: of,
  campaignTitle: title,
  paymentPerTask: '0.10000',
});

/** As much as can come: every text long, of four bytes a point, and full of what is special. */
const long = (points: number) => `${hostile} ${'𝔘<&>`'.repeat(points)}`;
const largest = task({
  id: asId('f'.repeat(120)),
  campaign: asId('e'.repeat(120)),
  round: 9_999,
  worker: { id: asId(long(500)), name: long(500), country: long(500), ip: long(50) },
  proof: {
    slots: [long(20_000), long(20_000), long(20_000)],
    files: Array.from({ length: 40 }, (_, index) => ({
      index: index + 1,
      filename: long(300),
      contentType: long(100),
      size: 1_000_000_000_000,
    })),
    finishedAt: Date.UTC(2026, 0, 5, 10),
  },
  pictures: [1, 2, 3].map((index) => ({ index, file: `F0${index}` })),
  before: {
    slots: [long(3_000), long(3_000), long(3_000)],
    comment: long(3_000),
    by: asId('U09ZOE'),
    card: { channel: asId('C1'), ts: '1.2' },
  },
});
const title = longest(1).title;
const intent: Intent = {
  kind: 'decide',
  account,
  task: largest.id,
  round: 9_999,
  verdict: 'NOK',
  extras: true,
  channel: asId('C0123456789'),
  ts: '1700000000.123456',
};

describe('task cards', () => {
  test('say when the task is due, while the task can be decided on', () => {
    const dueAt = Date.UTC(2026, 0, 12, 10);
    const shown = JSON.stringify(taskCard({ ...data(task()), dueAt }).blocks);
    expect(shown).toContain(`<!date^${dueAt / 1_000}^Due {date_short_pretty} at {time}|`);
    const decided = task({ decision: decision('waiting') });
    expect(JSON.stringify(taskCard({ ...data(decided), dueAt }).blocks)).not.toContain('Due ');
    expect(JSON.stringify(taskCard(data(task())).blocks)).not.toContain('Due ');
  });

  test('are valid in every state with the longest and most hostile data', () => {
    const states: DecisionState[] = ['waiting', 'sending', 'held', 'applied', 'refused', 'overtaken'];
    for (const rating of ratings) {
      const shown = { ...largest, rating, comment: long(3_000), ratedAt: Date.UTC(2026, 0, 5) };
      expectGoodMessage(taskCard({ ...data(shown, title), earlierLink: `https://x.y/${hostile}` }));
      for (const state of states) {
        const decided = decision(state, {
          verdict: 'REVISE',
          comment: long(3_000),
          bonus: '123456789.12345',
          favorite: 'remove',
          problem: { text: long(1_000) },
        });
        expectGoodMessage(taskCard(data({ ...shown, decision: decided }, title)));
      }
    }
    expectGoodMessage(supersededCard(data(largest, title), undefined));
  });

  test('carry the buttons only while there is something to decide', () => {
    const buttons = (of: Task) =>
      JSON.stringify(taskCard(data(of)).blocks)
        .match(/"action_id":"task\.\w+"/g)
        ?.join() ?? '';
    expect(buttons(task())).toMatch(/task\.ok.*task\.revise.*task\.nok/);
    expect(buttons(task({ decision: decision('refused') }))).toMatch(/task\.ok.*task\.revise.*task\.nok/);
    for (const state of ['waiting', 'held'] as const) {
      expect(buttons(task({ decision: decision(state) }))).toContain('task.undo');
    }
    const closed = [
      task({ rating: 'NOTREVIEWED' }),
      task({ rating: 'OK' }),
      ...(['waiting', 'sending', 'held', 'applied', 'overtaken'] as const).map((state) =>
        task({
          rating: state === 'applied' || state === 'overtaken' ? 'OK' : 'NOTRATED',
          decision: decision(state),
        }),
      ),
    ];
    for (const each of closed) expect(buttons(each)).not.toMatch(/task\.(ok|revise|nok)/);
    for (const state of ['sending', 'applied', 'overtaken'] as const) {
      expect(buttons(task({ rating: 'OK', decision: decision(state) }))).not.toContain('task.undo');
    }
  });

  test('read well in a notification', () => {
    const text = (of: Task) => taskCard(data(of)).text;
    expect(text(task())).toBe('Photo of a shelf: New task by worker w1: The shelf of the corner shop');
    expect(text(task({ rating: 'NOK', comment: 'Blurred', ratedAt: 0 }))).toMatch(
      /^Photo of a shelf: :x: NOK, rated outside of Slack, seen 1970-01-01 00:00 UTC, “Blurred”\.$/,
    );
    expect(text(task({ proof: { slots: [], files: [] } }))).toBe('Photo of a shelf: New task by worker w1');
  });

  test('say in one line each what became of a decision', () => {
    const line = (of: Decision, fields: Partial<Task> = {}) =>
      taskCard(data(task({ ...fields, decision: of }))).text;
    expect(line(decision('waiting'))).toContain('OK by <@U09ZOE>, on its way to the marketplace.');
    expect(line(decision('held', { problem: { text: 'The campaign is paused.' } }))).toContain(
      'OK by <@U09ZOE>, not sent yet. The campaign is paused. It will be sent automatically.',
    );
    expect(line(decision('refused', { problem: { text: 'The balance is too low.' } }))).toContain(
      'OK by <@U09ZOE> was not accepted. The balance is too low. The task is still open.',
    );
    expect(
      line(decision('applied', { comment: 'Very sharp', bonus: '0.05', favorite: 'add' }), { rating: 'OK' }),
    ).toContain(
      'OK by <@U09ZOE>, 2026-01-05 11:00 UTC, “Very sharp”, with a bonus of 0.05, worker added to favorites.',
    );
    expect(line(decision('overtaken', { attempts: 0 }), { rating: 'NOK' })).toContain(
      '<@U09ZOE> had decided OK; that was not sent.',
    );
    expect(line(decision('overtaken', { attempts: 2 }), { rating: 'NOK' })).toContain(
      '<@U09ZOE> had decided OK; the marketplace did not accept that.',
    );
  });

  test('tell from their own blocks which task they show', () => {
    expect(taskOfBlocks(taskCard(data(task())).blocks)).toEqual({ account, task: '12e5' });
    expect(taskOfBlocks(taskCard(data(task({ decision: decision('waiting') }))).blocks)).toEqual({
      account,
      task: '12e5',
    });
    expect(
      taskOfBlocks([{ type: 'actions', block_id: 'else', elements: [{ value: 'x' }] }, null, 7]),
    ).toBeUndefined();
  });

  test('say that details are no longer stored, and not that there were none', () => {
    const decision = {
      id: 'd',
      by: asId<never>('U02BEN'),
      verdict: 'NOK',
      comment: '',
      at: 1,
      attempts: 1,
    } as const;
    const removed = task({
      rating: 'NOK',
      worker: { id: asId('w1'), country: '', ip: '' },
      proof: { slots: [], files: [] },
      detailed: true,
      decision: { ...decision, state: 'applied' },
      detailsRemovedAt: 1,
    });
    const message = taskCard({ account, task: removed, campaignTitle: 'Photo' });
    expectGoodMessage(message);
    expect(JSON.stringify(message)).toMatch(/NOK\* by <@U02BEN>.*Worker w1 · _details no longer stored_/);
    expect(JSON.stringify(message)).not.toMatch(/No text|no comment|Files/);
  });
});

describe('other views', () => {
  test('modals are valid with the longest and most hostile data', () => {
    expectGoodView(wholeProof(largest, title));
    expectGoodView(wholeProof(task({ proof: { slots: ['漢'.repeat(400_000)], files: [] } }), title));
    for (const verdict of verdicts)
      expectGoodView(reasonModal({ ...intent, verdict }, largest, title, fullComment));
    const comment = fullComment;
    expectGoodView(extrasModal(intent, largest, title, { payment: money('123456789.12345'), comment }));
    expectGoodView(extrasModal(intent, largest, title, { payment: undefined, comment }));
    expectGoodView(connectModal(encodeIntent(intent)));
    expectGoodView(notConnected(long(500).slice(0, 100).replace(/[<>&]/g, '')).view);
  });

  test('the whole proof is shown piece by piece, and nothing of it is lost', () => {
    const slots = ['first', 'second'].map((name) =>
      Array.from({ length: 1_500 }, (_, n) => `${name}${n}`).join(' '),
    );
    const blocks = wholeProof(task({ proof: { slots, files: [] } }), title).blocks as KnownBlock[];
    const texts = blocks.map((block) => (block.type === 'section' ? (block.text?.text ?? '') : ''));
    const pieces = texts.flatMap((text) => (text.startsWith('```') ? [text.slice(3, -3)] : []));
    expect(pieces.join('')).toBe(slots.join(''));
  });

  test('messages are valid with the longest and most hostile data', () => {
    expectGoodMessage(connectPrompt(encodeIntent(intent)));
    expectGoodMessage(connectPrompt());
    expectGoodMessage(pollingStopped(hostile.repeat(20), 0, 3));
    expectGoodMessage(
      pollingResumed({ since: 0, until: 1, tasks: 1, decisions: 2, rest: { campaigns: 3, decisions: 4 } }),
    );
    expectGoodMessage(notice(subscribed(longest(1), asId('C1'), false)));
    expectGoodMessage(
      notice(
        severalCampaigns(
          hostile,
          Array.from({ length: 1_000 }, (_, n) => longest(n)),
        ),
      ),
    );
    expectGoodMessage(
      tooLate({ task: task({ decision: decision('held') }), title: 'x'.repeat(300) }, asId('U02BEN'), 'NOK'),
    );
  });
});
