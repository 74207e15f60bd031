import type { ApprovalEnd } from '../../src/domain/approval.ts';
import { defaultLimits } from '../../src/domain/spending.ts';
import { limitsModal, limitsSavedModal, limitsState } from '../../src/features/approvals/limits.view.ts';
import { askerMessage, ownRequestText, requestMessage } from '../../src/features/approvals/request.view.ts';
import { askedBeforeText, askedText, nobodyApprovesText } from '../../src/features/shared/approval.view.ts';
import { notice } from '../../src/slack/notice.ts';
import { entriesOf } from '../entry.ts';
import { account, ann, ben, chloe } from '../samples/people.ts';
import { bonusAct, createAct, overDay, request, restartAct, tooLow } from '../samples/requests.ts';
import { hostile, longest } from '../samples/texts.ts';

const ends: Readonly<Record<string, ApprovalEnd>> = {
  done: { kind: 'done', by: ann, sentence: '*Taste a tea* got 10 more positions.' },
  'refused by the marketplace': { kind: 'refused', by: ann, sentence: 'The account has not enough money.' },
  'outcome not known': { kind: 'unknown', by: ann, sentence: 'The marketplace gave no clear answer.' },
  declined: { kind: 'declined', by: ben },
  expired: { kind: 'expired' },
  'approved too late': { kind: 'expired', by: ann },
  'overtaken by a decision': { kind: 'canceled', sentence: 'The task was rated *NOK* meanwhile.' },
};

export const approvals = [
  ...entriesOf('Approvals', requestMessage, {
    'A restart over the limit': () => requestMessage(account, request()),
    'A bonus over the limit of the day': () =>
      requestMessage(account, request({ act: bonusAct, total: '0.3', reason: overDay })),
    'A new campaign, by a reviewer; the payment has changed': () =>
      requestMessage(account, request({ act: createAct, total: '9', reason: tooLow, previousTotal: '5' })),
    'Hostile title': () => requestMessage(account, request({ act: { ...restartAct, title: hostile } })),
    'Longest title': () => requestMessage(account, request({ act: { ...bonusAct, title: longest() } })),
    'Approved, being done': () => requestMessage(account, request({ stage: { state: 'approved', by: ann } })),
    ...Object.fromEntries(
      Object.entries(ends).map(([name, end]) => [
        `Ended: ${name}`,
        () => requestMessage(account, request({ stage: { state: 'ended', end } })),
      ]),
    ),
  }),
  ...entriesOf('Approvals', askerMessage, {
    ...Object.fromEntries(
      Object.entries(ends).map(([name, end]) => [`You asked: ${name}`, () => askerMessage(request(), end)]),
    ),
  }),
  ...entriesOf('Approvals', notice, {
    'You asked': () => notice(askedText(request())),
    'You asked, and who can approve it is looked up': () => {
      const { asked: _, ...searching } = request();
      return notice(askedText(searching));
    },
    'You asked for a bonus': () => notice(askedText(request({ act: bonusAct, reason: overDay }))),
    'You asked before': () => notice(askedBeforeText(request(), chloe)),
    'A colleague asked before': () => notice(askedBeforeText(request(), ann)),
    'Nobody can approve it': () => notice(nobodyApprovesText(restartAct, overDay, [ben])),
    'Nobody can approve it, nobody to name': () => notice(nobodyApprovesText(restartAct, tooLow, [])),
    'Your own request': () => notice(ownRequestText(request())),
  }),
  ...entriesOf('Approvals', limitsSavedModal, {
    'Spending limits: saved': () =>
      limitsSavedModal({ ...defaultLimits, manager: { bonus: { each: '0.5' }, positions: { day: '100' } } }),
  }),
  ...entriesOf('Approvals', limitsModal, {
    'Spending limits': () => limitsModal(limitsState.encode({ account }), defaultLimits, 'UTC'),
  }),
];
