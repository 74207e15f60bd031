import { describe, expect, test } from 'vitest';
import { account, ann, ben } from '../../gallery/samples/people.ts';
import { decision, task } from '../../gallery/samples/tasks.ts';
import { now } from '../../gallery/samples/times.ts';
import type { Refused } from '../../src/domain/forbidden.ts';
import type { Task } from '../../src/domain/task.ts';
import { cannotUndo } from '../../src/features/decide/decide.view.ts';
import { refusalMessage } from '../../src/features/rights/refusal.view.ts';
import { oldRound, tooLate } from '../../src/features/shared/lost-race.view.ts';
import { date } from '../../src/slack/mrkdwn.ts';
import { asId } from '../harness/ids.ts';

/** The words of a message, without the line that names its task. */
function said({ blocks }: ReturnType<typeof cannotUndo>): string {
  const [first] = blocks;
  if (first?.type !== 'section' || first.text === undefined) throw new Error('no text');
  return first.text.text.split('\n').at(-1) ?? '';
}

describe('whoever is too late', () => {
  const late = (fields: Partial<Task>, member = ben) =>
    said(tooLate({ task: task(fields), title: 'Shelf' }, member, 'NOK'));
  const by = decision('waiting');
  const decided = `<@U01ANN> has already decided *OK* on this task, ${date(by.at)}. Your NOK was not sent.`;
  const own = `You have already decided *OK* on this task, ${date(by.at)}. Your NOK was not sent.`;

  test.each([
    ['waits', decision('waiting'), ' Only <@U01ANN> or a manager can undo the first decision.'],
    ['is held', decision('held'), ' Only <@U01ANN> or a manager can undo the first decision.'],
    ['is being sent', decision('sending'), ''],
    ['is a rating', decision('applied'), ''],
  ])('reads who can undo a colleague’s decision that %s', (_, made, hint) => {
    expect(late({ decision: made })).toBe(decided + hint);
  });

  test.each([
    ['waits', decision('waiting'), ' To change your rating, undo it on the card.'],
    ['is held', decision('held'), ' To change your rating, undo it on the card.'],
    ['is being sent', decision('sending'), ''],
    ['is a rating', decision('applied'), ''],
  ])('reads how to change their own decision that %s', (_, made, hint) => {
    expect(late({ decision: made }, ann)).toBe(own + hint);
  });

  test.each<[string, Partial<Task>, string]>([
    [
      'is in review',
      { rating: 'NOTREVIEWED' },
      'The marketplace reviews this task first. You can rate it after that.',
    ],
    [
      'was rated elsewhere',
      { rating: 'OK', ratedAt: now },
      `This task was already rated *OK* outside of Slack, seen ${date(now)}. Your NOK was not sent.`,
    ],
    [
      'was rated by nobody knows whom',
      { rating: 'OK', ratedAt: now, mayHaveLostDecision: true },
      `This task was already rated *OK*, seen ${date(now)}. Your NOK was not sent.`,
    ],
    [
      'was submitted again',
      { rating: 'REVISE', isRatingInferred: true },
      'The worker has submitted this task again meanwhile. Your NOK was not sent.',
    ],
    [
      'was rated elsewhere before the colleague’s decision was sent',
      { rating: 'OK', ratedAt: now, decision: decision('overtaken') },
      `This task was already rated *OK* outside of Slack, seen ${date(now)}. Your NOK was not sent.`,
    ],
  ])('reads that the task %s', (_, fields, words) => {
    expect(late(fields)).toBe(words);
  });

  test('on an earlier round reads where the task continues', () => {
    const lost = { task: task(), title: 'Shelf' };
    expect(said(oldRound(lost))).toBe(
      'This task has come back since, so nothing was sent. Review its newer card.',
    );
    expect(said(oldRound({ ...lost, card: 'https://sandbox.slack.com/p1' }))).toBe(
      'This task has come back since, so nothing was sent. Review its newer card, linked above.',
    );
  });
});

describe('whoever undoes in vain', () => {
  const nothing = 'There is nothing to undo: the task of ines_13 is open.';

  test.each<[string, Partial<Task>, string]>([
    [
      'it is being sent',
      { decision: decision('sending') },
      'Too late to undo: *OK* for ines_13 is being sent right now.',
    ],
    ['nobody has decided', {}, nothing],
    ['it was refused', { decision: decision('refused') }, nothing],
    [
      'it is a rating',
      { rating: 'OK', decision: decision('applied') },
      'Too late to undo: the task of ines_13 is rated *OK* at the marketplace.',
    ],
    [
      'another rating was first',
      { rating: 'NOK', decision: decision('overtaken') },
      'Too late to undo: the task of ines_13 is rated *NOK* at the marketplace.',
    ],
  ])('reads that %s', (_, fields, words) => {
    expect(said(cannotUndo(task(fields)))).toBe(words);
  });
});

describe('whoever may not', () => {
  const ref = { workspace: asId<never>('T1'), account };
  const refused = (fields: Partial<Refused>) =>
    said(refusalMessage({ ref, capability: 'rate', owners: [ann], ...fields }));
  const guests =
    'Nothing was changed: guests may do nothing in this account unless an owner allows them. <@U01ANN> can change that.';

  test.each<[string, Partial<Refused>, string]>([
    [
      'they are of another company',
      { refusal: 'stranger' },
      'Nothing was changed: only members of the workspace that uses Proofdesk can work with it. Ask somebody there to do it.',
    ],
    ['they are a bot', { refusal: 'bot' }, 'Nothing was changed: bots cannot work with Proofdesk.'],
    [
      'they are deactivated',
      { refusal: 'deactivated' },
      'Nothing was changed: your Slack account is deactivated.',
    ],
    [
      'Slack could not be asked',
      { refusal: 'unchecked' },
      'Nothing was changed: what you may do could not be checked with Slack. Try again in a minute.',
    ],
    ['they are a guest', { refusal: 'guest' }, guests],
    [
      'they have no role',
      {},
      'Nothing was changed: rating tasks needs at least the role of reviewer in this account. You have no role in it. <@U01ANN> can change that.',
    ],
    [
      'their role is too low',
      { role: 'viewer' },
      'Nothing was changed: rating tasks needs at least the role of reviewer in this account. You are a viewer. <@U01ANN> can change that.',
    ],
    [
      'it takes a manager',
      { role: 'reviewer', capability: 'undo' },
      'Nothing was changed: undoing a colleague’s decision needs at least the role of manager in this account. You are a reviewer. <@U01ANN> can change that.',
    ],
    [
      'it takes an owner, of whom none is known',
      { role: 'manager', capability: 'settings', owners: [] },
      'Nothing was changed: opening the settings needs the role of owner in this account. You are a manager. An admin of this workspace can change that.',
    ],
    [
      'it is for full members',
      { ref: undefined as never, capability: undefined as never, refusal: 'guest' },
      'Nothing was changed: this is for full members of the workspace, not for guests.',
    ],
  ])('reads that %s', (_, fields, words) => {
    expect(refused(fields)).toBe(words);
  });
});
