import type { ActOfKind, ApprovalRequest, AskReason } from '../../src/domain/approval.ts';
import { asId } from '../../test/harness/ids.ts';
import { ann, ben, chloe } from './people.ts';
import { ago, day, hour, now } from './times.ts';

export const restartAct: ActOfKind<'restart'> = {
  kind: 'restart',
  campaign: asId('c0ffee12'),
  title: 'Sign up for a newsletter and confirm it',
  positions: 2_400,
  payment: '0.25',
  before: 120,
};

export const createAct: ActOfKind<'create'> = {
  kind: 'create',
  title: 'Taste a tea',
  positions: 20,
  payment: '0.45',
  draft: '0c9f6c1e',
  version: 3,
};

export const bonusAct: ActOfKind<'bonus'> = {
  kind: 'bonus',
  campaign: asId('7f3a9c21'),
  title: 'Photograph a shelf in your supermarket',
  task: asId('5e1d77a0c3'),
  round: 1,
  worker: 'ines_13',
  bonus: '0.3',
  payment: '0.45',
  comment: '',
};

/** What the marketplace answers when a campaign runs again already. */
export const restartRefusal =
  'Only a finished campaign can be restarted, and this one is not finished. Try again when it is.';

export const tooLow: AskReason = { kind: 'role', role: 'reviewer' };
export const overLimit: AskReason = {
  kind: 'limit',
  excess: { allowed: '500', over: '100', spent: '0' },
};
const overForBonuses: AskReason = {
  kind: 'limit',
  excess: { allowed: '20', over: '0.1', spent: '19.8' },
};

/** Returns a waiting request. */
export function request(fields: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    id: '4b0c1f',
    act: restartAct,
    total: '600',
    by: chloe,
    reason: overLimit,
    at: ago(hour),
    until: now + day - hour,
    asked: [ann, ben],
    stage: { state: 'waiting' },
    ...fields,
  };
}

/** Returns a waiting request for a bonus. */
export function bonusRequest(fields: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return request({ act: bonusAct, total: '0.3', reason: overForBonuses, ...fields });
}
