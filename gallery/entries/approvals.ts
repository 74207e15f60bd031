import type { ApprovalEnd, ApprovalRequest } from '../../src/domain/approval.ts';
import { money } from '../../src/domain/money.ts';
import { defaultLimits } from '../../src/domain/spending.ts';
import { restartedText, restartUnknownText } from '../../src/features/campaigns/change.view.ts';
import { bonusDecided, decidedMeanwhile, taskGone } from '../../src/features/decide/decide.view.ts';
import {
  askerMessage,
  limitsModal,
  limitsSavedModal,
  limitsState,
  ownRequestText,
  requestMessage,
} from '../../src/features/people/approvals.view.ts';
import { askedBeforeText, askedText, nobodyApprovesText } from '../../src/features/people/spending.view.ts';
import { notice } from '../../src/slack/blocks.ts';
import { entriesOf } from '../entry.ts';
import { finished } from '../samples/campaigns.ts';
import { account, ann, ben, chloe } from '../samples/people.ts';
import {
  bonusAct,
  bonusRequest,
  createAct,
  overLimit,
  request,
  restartAct,
  restartRefusal,
  tooLow,
} from '../samples/requests.ts';
import { decision, task } from '../samples/tasks.ts';
import { hostile, longest } from '../samples/texts.ts';

/** Requests, and how they ended. */
const ends: Readonly<Record<string, readonly [ApprovalRequest, ApprovalEnd]>> = {
  done: [request(), { kind: 'done', by: ann, sentence: restartedText(finished, restartAct.positions) }],
  'rejected by the marketplace': [request(), { kind: 'refused', by: ann, sentence: restartRefusal }],
  'outcome not known': [
    request(),
    { kind: 'unknown', by: ann, sentence: restartUnknownText(finished, restartAct.positions) },
  ],
  declined: [request(), { kind: 'declined', by: ben }],
  expired: [request(), { kind: 'expired' }],
  'approved too late': [request(), { kind: 'expired', by: ann }],
  'overtaken by a decision': [
    bonusRequest(),
    { kind: 'canceled', sentence: decidedMeanwhile(task({ rating: 'NOK' })) },
  ],
  'overtaken by a colleague': [
    bonusRequest(),
    { kind: 'canceled', sentence: decidedMeanwhile(task({ decision: decision('applied') })) },
  ],
  'overtaken, as its decision was': [
    bonusRequest(),
    { kind: 'canceled', sentence: decidedMeanwhile(task({ decision: decision('overtaken') })) },
  ],
  'its task is gone': [bonusRequest(), { kind: 'canceled', sentence: taskGone }],
  'a bonus is paid': [bonusRequest(), { kind: 'done', by: ann, sentence: bonusDecided(money('0.3')) }],
};

export const approvals = [
  ...entriesOf('Approvals', requestMessage, {
    'A restart over the limit': () => requestMessage(account, request()),
    'A bonus over the limit of the day': () => requestMessage(account, bonusRequest()),
    'A new campaign, by a reviewer': () =>
      requestMessage(account, request({ act: createAct, total: '9', reason: tooLow })),
    'A restart without a title': () =>
      requestMessage(account, request({ act: { ...restartAct, title: ' ' } })),
    'A new campaign without a title': () =>
      requestMessage(account, request({ act: { ...createAct, title: ' ' } })),
    'Hostile title': () => requestMessage(account, request({ act: { ...restartAct, title: hostile } })),
    'Longest title': () => requestMessage(account, bonusRequest({ act: { ...bonusAct, title: longest() } })),
    'Approved, being done': () => requestMessage(account, request({ stage: { state: 'approved', by: ann } })),
    ...Object.fromEntries(
      Object.entries(ends).map(([name, [of, end]]) => [
        `Ended: ${name}`,
        () => requestMessage(account, { ...of, stage: { state: 'ended', end } }),
      ]),
    ),
  }),
  ...entriesOf('Approvals', askerMessage, {
    ...Object.fromEntries(
      Object.entries(ends).map(([name, [of, end]]) => [
        `You asked: ${name}`,
        () => askerMessage({ ...of, stage: { state: 'ended', end } }),
      ]),
    ),
  }),
  ...entriesOf('Approvals', notice, {
    'You asked': () => notice(askedText(request())),
    'You asked, and who can approve it is looked up': () => {
      const { asked: _, ...searching } = request();
      return notice(askedText(searching));
    },
    'You asked for a bonus': () => notice(askedText(bonusRequest())),
    'You asked before': () => notice(askedBeforeText(request(), chloe)),
    'A colleague asked before': () => notice(askedBeforeText(request(), ann)),
    'Nobody can approve it': () => notice(nobodyApprovesText(restartAct, overLimit)),
    'Nobody can approve it, for want of a role': () => notice(nobodyApprovesText(restartAct, tooLow)),
    'Your own request': () => notice(ownRequestText(request())),
  }),
  ...entriesOf('Approvals', limitsSavedModal, {
    'Spending limits: saved': () => limitsSavedModal({ positions: '100', areForOwners: true }),
  }),
  ...entriesOf('Approvals', limitsSavedModal, {
    'Spending limits: none': () => limitsSavedModal({ areForOwners: false }),
  }),
  ...entriesOf('Approvals', limitsModal, {
    'Spending limits': () => limitsModal(limitsState.encode({ account }), defaultLimits, 'UTC'),
    'Spending limits: for owners too': () =>
      limitsModal(limitsState.encode({ account }), { ...defaultLimits, areForOwners: true }, 'UTC'),
  }),
];
