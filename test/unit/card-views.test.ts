import type { KnownBlock } from '@slack/types';
import { describe, expect, test } from 'vitest';
import type { Decision, DecisionState, Task } from '../../src/domain/task.ts';
import type { AccountId } from '../../src/domain/terms.ts';
import { connectModal } from '../../src/features/accounts/accounts.view.ts';
import { type CardData, taskCard } from '../../src/features/cards/card.view.ts';
import { wholeProof } from '../../src/features/cards/proof.view.ts';
import { taskOfBlocks } from '../../src/slack/card-block.ts';
import { asId } from '../harness/ids.ts';
import { expectGoodView } from './campaign-samples.ts';

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

describe('task cards', () => {
  test('say when the task is due, while the task can be decided on', () => {
    const dueAt = Date.UTC(2026, 0, 12, 10);
    const shown = JSON.stringify(taskCard({ ...data(task()), dueAt }).blocks);
    expect(shown).toContain(`<!date^${dueAt / 1_000}^Due {date_short_pretty} at {time}|`);
    const decided = task({ decision: decision('waiting') });
    expect(JSON.stringify(taskCard({ ...data(decided), dueAt }).blocks)).not.toContain('Due ');
    expect(JSON.stringify(taskCard(data(task())).blocks)).not.toContain('Due ');
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
});

test('the whole proof is shown piece by piece, and nothing of it is lost', () => {
  const slots = ['first', 'second'].map((name) =>
    Array.from({ length: 1_500 }, (_, n) => `${name}${n}`).join(' '),
  );
  const blocks = wholeProof(task({ proof: { slots, files: [] } }), 'A shelf').blocks as KnownBlock[];
  const texts = blocks.map((block) => (block.type === 'section' ? (block.text?.text ?? '') : ''));
  const pieces = texts.flatMap((text) => (text.startsWith('```') ? [text.slice(3, -3)] : []));
  expect(pieces.join('')).toBe(slots.join(''));
  expectGoodView(wholeProof(task({ proof: { slots: ['漢'.repeat(400_000)], files: [] } }), 'A shelf'));
});

test('the form that takes a key is valid however many accounts there are', () => {
  const known = Array.from({ length: 120 }, () => ({ account, name: '漢'.repeat(40), isOwner: true }));
  const form = connectModal('', known);
  expectGoodView(form);
  expect(JSON.stringify(form)).toContain('A new account');
});
