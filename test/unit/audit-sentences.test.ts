import { readMrkdwn } from '@proofdesk/slack-sandbox/testing';
import { expect, test } from 'vitest';
import type { AuditEntry } from '../../src/domain/audit.ts';
import { defaultLimits } from '../../src/domain/spending.ts';
import { isToldWithDecision } from '../../src/features/ops/audit.ts';
import { type ShownEntry, sentence } from '../../src/features/ops/audit-sentence.ts';
import { limitsText } from '../../src/features/people/approvals.view.ts';
import { asId } from '../harness/ids.ts';

const [ann, ben] = [asId<never>('U01ANN'), asId<never>('U02BEN')];
const names = { U01ANN: 'Ann', U02BEN: 'Ben', C01REVIEW: 'review', S01NIGHT: 'night' };
const known = { campaign: 'Visit a coffee shop', worker: 'ines_13' };
type Entry = Omit<AuditEntry, 'at'>;
const by = { by: ann, campaign: asId<never>('f1n15hed') };
const change = { before: '16 positions', after: '20 positions', money: '1200' };
const restart: Entry = { what: 'restart', how: 'form', ...by, ...change };
const rated: Entry = {
  what: 'applied',
  how: 'job',
  ...by,
  task: asId('t1'),
  round: 1,
  verdict: 'NOK',
  rating: 'NOK',
  before: 'NOTRATED',
};

/** The sentence of an entry as people read it, without its time. */
function read(entry: Entry, rest: Omit<ShownEntry, 'entry'> = { names: known }): string {
  return readMrkdwn(sentence({ entry: { at: 0, ...entry }, ...rest }), names)
    .replace(/^[^*A-Z]*?UTC: /u, '')
    .replaceAll(/[*`]/g, '');
}

test('money in the audit is a total where positions are paid, also while it is asked for and approved', () => {
  const request = { ...restart, act: 'r1' };
  for (const what of ['ask approval', 'approve', 'decline', 'end request', 'restart', 'create'] as const)
    expect(read({ ...request, what })).toContain('total 1200.00');
});

test('money in the audit has two decimals in limits, as everywhere', () => {
  expect(limitsText(defaultLimits)).toMatch(/ 20\.00, .* 500\.00$/);
});

test('money in the audit is named a bonus where it is for a task', () => {
  expect(read({ ...rated, money: '0.3' })).toContain('bonus 0.30');
  expect(read({ ...rated, what: 'approve', money: '0.3' })).toContain('bonus 0.30');
});

test('a rating in the audit says whether the worker became a favorite or is none any more', () => {
  expect(read({ ...rated, favorite: 'add' })).toContain('favorite added');
  expect(read({ ...rated, favorite: 'remove' })).toContain('favorite removed');
});

test('a rating in the audit says its round, which rating it took the place of, and how a decision ended', () => {
  const elsewhere = {
    ...rated,
    what: 'rated elsewhere',
    how: 'elsewhere',
    by: undefined,
    verdict: undefined,
  } as unknown as Entry;
  expect(read({ ...elsewhere, round: 2 })).toMatch(
    /^Somebody outside .*\ntask of ines_13, round 2 · .* · now NOK$/,
  );
  expect(read({ ...elsewhere, before: 'OK' })).toMatch(/\ntask of ines_13 · .* · OK → NOK$/);
  const overtaken = { at: 0, what: 'overtaken', how: 'job', rating: 'OK' } as const;
  const decided = read({ ...rated, what: 'decided' }, { names: known, end: overtaken });
  expect(decided).toContain('not sent: already rated OK by somebody else');
  expect(read({ what: 'read message', how: 'elsewhere' })).toMatch(/^Somebody outside of Slack marked/);
});

test('a rating in the audit was rejected by the marketplace', () => {
  const refused = { ...rated, what: 'refused' } as const;
  expect(read(refused)).toMatch(/^The marketplace rejected @Ann’s NOK/);
});

test('an act at the marketplace is said to be done only once it is', () => {
  expect(read({ ...restart, stage: 'done', answer: 'OK' })).toBe(
    '@Ann restarted the campaign\nVisit a coffee shop · 16 positions → 20 positions · total 1200.00',
  );
  const failed = { stage: 'failed', answer: 'ONLY_FINISHED_CAMPAIGNS: It is not finished.' } as const;
  expect(read({ ...restart, ...failed })).toMatch(
    /^@Ann tried to restart the campaign\n.* · not done: It is not finished\.$/,
  );
  expect(read({ ...restart, stage: 'unknown' })).toMatch(/^@Ann tried to restart .* outcome unknown/s);
  const claimed: Entry = { ...restart, stage: 'claimed' };
  expect(read(claimed)).toMatch(/^@Ann tried to restart .* no outcome yet$/s);
});

test('an act at the marketplace that was approved names who had asked for it', () => {
  const approved = { by: ben, member: ann, how: 'approval' } as const;
  const said = read({ ...restart, ...approved, stage: 'done' });
  expect(said).toMatch(/^@Ben restarted the campaign at @Ann’s request\n/);
  const decided = read({ ...rated, ...approved, what: 'decided' });
  expect(decided).toMatch(/^@Ben rated a task NOK at @Ann’s request\n/);
});

test('a decision in the audit that somebody undid says whose it was', () => {
  const undone = { ...rated, what: 'undone', how: 'click', member: ann } as const;
  expect(read(undone)).toMatch(/^@Ann undid their own NOK\n/);
  expect(read({ ...undone, by: ben })).toMatch(/^@Ben undid @Ann’s NOK\n/);
});

test('other entries have no codes and ids where there are words', () => {
  const click = { by: ann, how: 'click' } as const;
  const channel = asId<never>('C01REVIEW');
  const lost = read({ what: 'channel lost', how: 'job', channel, after: 'is_archived' });
  expect(lost).toMatch(/#review · is archived$/);
  const moved = read({ what: 'choose inbox channel', before: 'C01REVIEW', ...click });
  expect(moved).toContain('previously in #review');
  expect(read({ what: 'exclude worker', worker: asId('9a41c7'), ...click })).toContain('worker ines_13');
  const retried = { what: 'retry job', task: asId<never>('t1'), before: 'redraw: Slack rejects the blocks' };
  expect(read({ ...retried, ...click } as Entry)).toBe(
    '@Ann tried a failed action again\ntask of ines_13 · Slack rejects the blocks',
  );
  expect(read({ what: 'connect', before: 'f00dfeed', ...click })).not.toContain('f00dfeed');
});

test('other entries say to whom a role was given, whether a person or a channel', () => {
  const given = { what: 'give role', by: ann, how: 'form', after: 'reviewer' } as const;
  expect(read({ ...given, member: ben })).toMatch(/^@Ann added a role for @Ben\nreviewer$/);
  const inChannel = read({ ...given, channel: asId('C01REVIEW') });
  expect(inChannel).toMatch(/^@Ann added a role for everyone in #review\nreviewer/);
  const approved = read({ what: 'approve', by: ben, how: 'click', member: ann });
  expect(approved).toMatch(/^@Ben approved a request by @Ann/);
});

const applied = { what: 'applied', decision: asId<never>('d1') } as const;

test('the end of a decision is told with the decision, unless it is asked for', () => {
  expect(isToldWithDecision(applied, undefined)).toBe(true);
  expect(isToldWithDecision(applied, 'applied')).toBe(false);
  expect(isToldWithDecision({ ...applied, what: 'decided' }, undefined)).toBe(false);
});
