import type { Button } from '@slack/types';
import { z } from 'zod';
import {
  type ApprovalRequest,
  type AskReason,
  budgetOfAct,
  type SpendingAct,
  totalOf,
} from '../../domain/approval.ts';
import { formatMoney, money } from '../../domain/money.ts';
import { bonusTotal, excessText } from '../../domain/spending.ts';
import { AccountId, type MemberId } from '../../domain/terms.ts';
import { button, confirmation } from '../../slack/blocks.ts';
import { codec } from '../../slack/form-values.ts';
import { date, inline, plain, user } from '../../slack/mrkdwn.ts';
import { capital, counted, roleWords, wereAsked } from '../../ui/words.ts';

export const approvalValue = codec(
  'button',
  z.object({ account: AccountId, subject: z.string(), request: z.string() }),
  'Open Home to see requests for your approval.',
);

/** Appended to a total, because the marketplace does not report its fees. */
export const feesNotIncluded = 'fees not included';

/** Returns `4 positions × 0.25 = 1.00, fees not included`. */
export function positionsCost(positions: number, payment: string): string {
  const price = money(payment);
  const count = counted(positions, 'position');
  return `${count} × ${formatMoney(price)} = *${formatMoney(price.times(positions))}*, ${feesNotIncluded}`;
}

/** Returns `payment 0.10 + bonus 0.05 = 0.15, fees not included`. */
export function bonusCost(bonus: string, payment: string | undefined): string {
  const paid = money(bonus);
  if (payment === undefined) return `bonus *${formatMoney(paid)}*, ${feesNotIncluded}`;
  const price = money(payment);
  return `payment ${formatMoney(price)} + bonus ${formatMoney(paid)} = *${formatMoney(bonusTotal(price, paid))}*, ${feesNotIncluded}`;
}

/** Returns the requested act and its cost in mrkdwn, worded to follow "asks to". */
export function actText(act: SpendingAct): string {
  const title = `*${inline(act.title.trim() || ('campaign' in act ? `Campaign ${act.campaign}` : 'Untitled campaign'))}*`;
  switch (act.kind) {
    case 'restart':
      return `restart ${title}: ${positionsCost(act.positions, act.payment)}`;
    case 'create':
      return `create the campaign ${title}: ${positionsCost(act.positions, act.payment)}`;
    case 'bonus':
      return `rate a task of ${inline(act.worker, 60)} in ${title} OK with a bonus: ${bonusCost(act.bonus, act.payment)}`;
  }
}

/** Returns why approval is required, as a sentence. @param whose `your` for the requester, `their` for others */
export function reasonText(reason: AskReason, act: SpendingAct, whose: 'your' | 'their'): string {
  if (reason.kind === 'limit') return excessText(reason.excess, budgetOfAct(act), whose);
  const is = whose === 'your' ? 'You are' : 'They are';
  return `${is} ${roleWords[reason.role]}, so a manager has to approve this.`;
}

/** Returns who requests what and why, in mrkdwn. */
export function requestText({ act, by, reason }: ApprovalRequest): string {
  return `${user(by)} asks to ${actText(act)}. ${reasonText(reason, act, 'their')}`;
}

export function approvalButtons(account: AccountId, subject: string, { id, act }: ApprovalRequest): Button[] {
  const value = approvalValue.encode({ account, subject, request: id });
  // In the home tab, another request moves to the place of one that was answered.
  const confirm = confirmation({
    title: 'Approve this?',
    text: capital(plain(actText(act))),
    confirm: `Approve ${formatMoney(money(totalOf(act)))}`,
    deny: 'Cancel',
  });
  return [
    button('Approve', 'approval.approve', value, { style: 'primary', confirm }),
    button('Decline', 'approval.decline', value),
  ];
}

/** Returns the confirmation shown to the requester, in mrkdwn. */
export function askedText({ act, reason, asked, until }: ApprovalRequest): string {
  const who =
    asked === undefined
      ? 'Proofdesk is looking up who can approve it and will ask them, until'
      : `${wereAsked(asked)} to approve it by`;
  const open = act.kind === 'bonus' ? ' Until then the task stays open.' : '';
  return `:hourglass_flowing_sand: Nothing was done yet. You asked to ${actText(act)}. ${reasonText(reason, act, 'your')} ${who} ${date(until)}. You’ll get a message with their answer.${open}`;
}

/** Returns the text for a member whose request, or a colleague's for the same thing, is already pending, in mrkdwn. */
export function askedBeforeText(request: ApprovalRequest, member: MemberId): string {
  const who = request.by === member ? 'You' : user(request.by);
  return `${who} already asked to ${actText(request.act)}. Waiting for approval until ${date(request.until)}.`;
}

/** Returns the text for a member whose request nobody can approve, in mrkdwn. */
export function nobodyApprovesText(act: SpendingAct, reason: AskReason): string {
  return `Nothing was done. You wanted to ${actText(act)}. ${reasonText(reason, act, 'your')} Nobody else in this account can approve it. An owner can make a colleague a manager, or raise the limit, with \`/proofdesk settings\`.`;
}
