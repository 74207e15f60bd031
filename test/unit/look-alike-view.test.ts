import { visibleText } from '@proofdesk/slack-sandbox/testing';
import { expect, test } from 'vitest';
import { alike, fullAlike } from '../../gallery/samples/evidence.ts';
import { account } from '../../gallery/samples/people.ts';
import { task } from '../../gallery/samples/tasks.ts';
import { lookAlikeModal } from '../../src/features/evidence/look-alike.view.ts';
import { factsOf } from '../../src/ui/evidence.view.ts';
import { asId } from '../harness/ids.ts';

/** The text of the modal that compares a task with one other, which others again look like. */
function textFor(connected: number, shown = 1): string {
  const ofOther = { worker: { ...task().worker, id: asId<never>('w1') } };
  const [one] = alike;
  if (one === undefined) throw new Error('no sample');
  const campaignTitle = 'Photo of a shelf';
  const other = { ...task(), ...ofOther, id: one.task };
  return visibleText(
    lookAlikeModal({
      account,
      campaignTitle,
      task: task(),
      all: [{ ...one, campaign: task().campaign }],
      others: shown === 0 ? [] : [{ task: other, campaignTitle, alike: one }],
      connected: Array.from({ length: connected }, (_, number) =>
        number === 0 ? other : { ...other, id: asId<never>(`more${number}`) },
      ),
      worker: { campaigns: [], reasons: [] },
    }).blocks,
  );
}

test('the heading of compared tasks counts those below it; what only looks like one of them is said apart', () => {
  expect(textFor(1)).toMatch(/^\*2 tasks, 2 workers, 1 campaign\*/);
  expect(textFor(1)).not.toContain('more task');
  expect(textFor(6)).toContain('5 more tasks are similar to these.');
});

test('a compared task whose details were removed is not said to have less in common', () => {
  expect(textFor(0, 0)).toContain('1 more task that is not shown here.');
});

test('of tasks with something in common a rated one is named, and where only some are known it is said', () => {
  const [one] = alike;
  if (one === undefined) throw new Error('no sample');
  const twin = (name: string, rating: 'NOTRATED' | 'OK') => ({ worker: { ...task().worker, name }, rating });
  const twins = new Map([[one.task, twin('amina', 'NOTRATED')]]).set(asId('b'), twin('ben', 'OK'));
  const both = [one, { ...one, task: asId<never>('b') }].map((each) => ({
    ...each,
    kinds: ['same-text'] as const,
  }));
  expect(factsOf(both, twins)).toEqual(['same text as ben (OK) and 1 more task']);
  const near = both.map((each) => ({ ...each, kinds: ['same-address'] as const }));
  expect(factsOf(near)).toEqual(['same IP as 1 worker']);
  expect(factsOf(fullAlike, twins)[0]).toBe('same picture as at least 30 tasks');
});
